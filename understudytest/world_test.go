package understudytest_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/understudytest"
)

var demo = []understudytest.Option{understudytest.Fixture("demo"), understudytest.Seed(7)}

// post posts as the agent.
func post(w *understudytest.World, channel, text string) {
	r, _ := http.NewRequest("POST", w.Messaging.APIURL+"chat.postMessage", strings.NewReader("channel="+channel+"&text="+text))
	r.Header.Set("Authorization", "Bearer "+w.Messaging.BotToken)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if reply, err := http.DefaultClient.Do(r); err == nil {
		_ = reply.Body.Close()
	}
}

var hello = understudytest.Inserted("messaging.message").Where("text", "hello")

// A check that holds says nothing; one that does not fails the test, shows the
// evidence and lets the test go on.
func TestPassAndFail(t *testing.T) {
	t.Parallel()
	passed := record(func(t testing.TB) {
		w := understudytest.New(t, demo...)
		post(w, "general", "hello")
		w.Expect(hello.Named("a greeting"))
		w.NothingElse()
	})
	if passed.Failed() || passed.text() != "" {
		t.Error(passed.text())
	}
	went := false
	failed := record(func(t testing.TB) {
		w := understudytest.New(t, demo...)
		post(w, "general", "hullo")
		w.Expect(hello.Named("a greeting"))
		w.NothingElse()
		went = true
	})
	for _, want := range []string{"FAILED  expect[0]: a greeting: no message matched", `text is "hullo", wanted "hello" (request 1 messaging.chat.postMessage)`,
		"FAILED  nothing_else", "left: insert messaging.message"} {
		if !failed.Failed() || !strings.Contains(failed.text(), want) {
			t.Errorf("lacks %q:\n%s", want, failed.text())
		}
	}
	if !went {
		t.Error("the test did not go on after a check that failed")
	}
	refused := record(func(t testing.TB) {
		understudytest.New(t, demo...).Person("nobody").Say("#general", "x")
		went = false
	})
	if !refused.Failed() || !strings.Contains(refused.text(), "person_not_found") || !went {
		t.Errorf("a refusal does not end the test: %s", refused.text())
	}
}

// Worlds know nothing of each other, and those of equal options begin alike.
func TestParallel(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		group.Add(1)
		go func() {
			defer group.Done()
			r := record(func(t testing.TB) {
				w := understudytest.New(t, demo...)
				ids[i] = w.Person("jon.abel").Say("#general", "hello").TS[:5]
				post(w, "general", "hello")
				w.Expect(hello, hello.By("person"))
			})
			if r.Failed() {
				t.Error(r.text())
			}
		}()
	}
	group.Wait()
}

// With the variables of a server that runs, worlds are forks there; they are
// gone when their tests end, unless they failed and are to be kept.
func TestAttachCleanUpAndKeep(t *testing.T) {
	if os.Getenv("UNDERSTUDYTEST_CHILD") != "" {
		attached(t)
		return
	}
	t.Parallel()
	s := apptest.Start(t)
	key := s.Credential("admin", "key")
	child := func(keep string) string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAttachCleanUpAndKeep$", "-test.v")
		cmd.Env = append(os.Environ(), "UNDERSTUDYTEST_CHILD=1", "CHILD_URL="+s.URL+"/admin/v1", "CHILD_KEY="+key, "CHILD_KEEP="+keep)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	environments := func() (names []string) {
		_, reply := s.Call("GET", "/admin/v1/environments", key, nil)
		for _, e := range reply["environments"].([]any) {
			names = append(names, e.(object)["id"].(string))
		}
		return names
	}
	if out := child(""); strings.Contains(out, "keeps") || !strings.Contains(out, "at "+s.URL+"/e/") || len(environments()) != 1 {
		t.Errorf("%v are left:\n%s", environments(), out)
	}
	out := child("1")
	_, id, _ := strings.Cut(out, "understudy keeps "+s.URL+"/e/")
	id, _, _ = strings.Cut(id, "\n")
	if status, reply := s.Call("GET", "/admin/v1/environments/"+id, key, nil); id == "" || status != 200 || reply["expires_at"] != nil || len(environments()) != 2 {
		t.Errorf("%d %v, %v are left:\n%s", status, reply, environments(), out)
	}
}

// attached is what the child process does.
func attached(t *testing.T) {
	for _, name := range []string{"ADMIN_URL", "ADMIN_KEY", "KEEP"} {
		t.Setenv("UNDERSTUDY_"+name, os.Getenv("CHILD_"+strings.TrimPrefix(name, "ADMIN_")))
	}
	good := record(func(t testing.TB) { t.Log("at ", understudytest.New(t, demo...).URL) })
	bad := record(func(t testing.TB) { understudytest.New(t, demo...).Expect(hello) })
	if good.Failed() || !bad.Failed() {
		t.Error(good.text(), bad.text())
	}
	t.Log(good.text(), bad.text())
	understudytest.Stop()
	t.Setenv("UNDERSTUDY_ADMIN_KEY", "")
	if r := record(func(t testing.TB) { understudytest.New(t) }); !strings.Contains(r.text(), "UNDERSTUDY_ADMIN_KEY must hold") {
		t.Error(r.text())
	}
}

// Somebody's module that replaces the path of ours builds and runs its test, the one of the README.
func TestAModuleOfSomebodyElse(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "```go\n")
	example, _, found := strings.Cut(example, "```")
	if !found {
		t.Fatal("the README has no example")
	}
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// The module's own requirements stand in for what go mod tidy would write.
	_, requires, _ := strings.Cut(string(mod), "\n\nrequire")
	files := map[string]string{
		"go.mod":          "module somebodys.example/bot\n\ngo 1.26.0\n\nrequire understudy v0.0.0\n\nreplace understudy => " + root + "\n\nrequire" + withoutTools(requires),
		"bot_test.go":     example,
		"bot_own_test.go": "package bot_test\n\nimport (\n\t\"testing\"\n\n\t\"understudy/understudytest\"\n)\n\nfunc TestMain(m *testing.M) { defer understudytest.Stop(); m.Run() }\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(workspace string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK="+workspace)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	// All packages are found through the replacement, and none is closed to other modules.
	const own = "understudy/understudytest"
	if found := run("off", "list", "-mod=mod", "-test", "-deps", "."); !strings.Contains(found, own) {
		t.Errorf("%s is not among the packages of the test:\n%s", own, found)
	}
	// In a workspace our packages are compiled as for our own tests, so what was compiled is used again.
	workspace := filepath.Join(dir, "go.work")
	if err := os.WriteFile(workspace, []byte("go 1.26.0\n\nuse (\n\t.\n\t"+root+"\n)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(workspace, "test", "-trimpath", "-v", "."); !strings.Contains(out, "--- PASS: TestTheBotSaysWhoIsOnCall") {
		t.Error(out)
	}
}

// withoutTools returns the requirements of a go.mod without the tools that are run by it.
func withoutTools(mod string) string {
	head, _, _ := strings.Cut(mod, "\ntool ")
	return head
}
