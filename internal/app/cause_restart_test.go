package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// causes returns who posted the messages of some texts, by the diff since the
// creation, each with a ! when that is not exact.
func (e world) causes(texts ...string) string {
	e.T.Helper()
	d := e.Call("GET", "/"+e.ID+"/diff", nil, 200)
	var out []string
	for _, text := range texts {
		for _, c := range d["inserts"].([]any) {
			if at(c, "entity") != "message" || at(c, "after", "text") != text {
				continue
			}
			by := ""
			for _, w := range at(c, "cause").([]any) {
				by += fmt.Sprint(" ", at(w, "operation"))
			}
			if at(c, "exact") != true {
				by += "!"
			}
			out = append(out, text+by)
		}
	}
	return strings.Join(out, ", ")
}

// recorded returns what a verdict says of the rule that nothing was deleted, after
// whether its record of requests is complete.
func (e world) recorded() string {
	e.T.Helper()
	v := e.Call("POST", "/"+e.ID+"/verdict", map[string]any{"trajectory": []any{map[string]any{"never": map[string]any{"operation": "messaging.chat.delete"}}}}, 200)
	return fmt.Sprint(at(v, "recording", "complete"), " ", at(v, "checks").([]any)[0].(map[string]any)["passed"], " ", at(v, "verdict"))
}

// The journal of causes is stored when the program is stopped. After a crash it
// is lost, and no change from before it is reported as exact; the record of
// requests is lost too, and no verdict takes it for complete, then or later.
func TestCausesAfterTheProgramHasEnded(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return storetest.MigratedURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			url, dir, crashed := database(t), t.TempDir(), t.TempDir()
			start := func(t *testing.T, dir string, id string) world {
				s := apptest.Start(t, func(o *config.Serve) { o.Database, o.Data = url, dir })
				p := planeOf(t, s)
				if id == "" {
					return p.world(p.Call("POST", "", map[string]any{"id": "causes", "rate_limits": "off"}, 201))
				}
				return p.world(p.Call("GET", "/"+id+"/credentials", nil, 200))
			}
			const post = " messaging.chat.postMessage"
			t.Run("first", func(t *testing.T) {
				e := start(t, dir, "")
				e.Post("one")
				if got := e.causes("one"); got != "one"+post {
					t.Error(got)
				}
			})
			t.Run("stopped in order", func(t *testing.T) {
				e := start(t, dir, "causes")
				if got := e.causes("one"); got != "one"+post {
					t.Errorf("after a restart: %s", got)
				}
				if got := e.recorded(); got != "true true passed" {
					t.Errorf("the record after a restart: %s", got)
				}
				e.Post("two")
				if got := e.causes("one", "two"); got != "one"+post+", two"+post {
					t.Errorf("what was stored and what came since: %s", got)
				}
				if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil { // what a crash now would leave
					t.Fatal(err)
				}
				if err := os.Chmod(filepath.Join(crashed, "key"), 0o600); err != nil {
					t.Fatal(err)
				}
			})
			if url != "" {
				return
			}
			t.Run("crashed", func(t *testing.T) {
				e := start(t, crashed, "causes")
				if got := e.causes("one", "two"); strings.Count(got, "!") != 2 || strings.Contains(got, "two"+post) {
					t.Errorf("after a crash: %s", got)
				}
				if got := e.recorded(); got != "false <nil> unknown" {
					t.Errorf("the record after a crash: %s", got)
				}
				e.Post("three")
				if got := e.causes("one", "two", "three"); strings.Count(got, "!") != 2 || !strings.HasSuffix(got, "three"+post) {
					t.Errorf("what came after the crash: %s", got)
				}
			})
			t.Run("stopped in order after the crash", func(t *testing.T) {
				if got := start(t, crashed, "causes").recorded(); got != "false <nil> unknown" {
					t.Errorf("the record: %s", got)
				}
			})
		})
	}
}
