// Package cli plays sessions of the command line against the real binary: each
// .txtar file under testdata is one, with a fresh server.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"understudy/test/server"
)

// Beside testscript's own commands (cmp, env, exec, stdout, stderr, …) a script has:
//
//	understudy ARG...        runs the program, which must succeed (with ! it must fail)
//	exits STATUS ARG...      runs the program, which must end with this status
//	keep NAME MEMBER         puts a member of the JSON on standard output into a variable; a.0.b goes deeper
//	member MEMBER VALUE      compares a member of the JSON on standard output, VALUE being JSON or text
//	stop                     ends the server
//
// $DATA is the server's data folder, $URL its admin plane, $KEY its key.
func TestCommandLine(t *testing.T) {
	bin, err := server.Binary()
	if err != nil {
		t.Fatal(err)
	}
	run := func(ts *testscript.TestScript, args []string) int {
		err := ts.Exec(bin, args...)
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			return exit.ExitCode()
		}
		ts.Check(err)
		return 0
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			data := filepath.Join(e.WorkDir, "understudy-data")
			s, err := server.Start(server.Options{Dir: data})
			if err != nil {
				return err
			}
			e.Defer(func() { _ = s.Stop() })
			e.Values[serverKey{}] = s
			var c struct {
				Admin struct {
					Key string `json:"key"`
				} `json:"admin"`
			}
			if err := s.ReadCredentials(&c); err != nil {
				return err
			}
			e.Setenv("DATA", data)
			e.Setenv("URL", s.URL+"/admin/v1")
			e.Setenv("KEY", c.Admin.Key)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"understudy": func(ts *testscript.TestScript, neg bool, args []string) {
				if status := run(ts, args); (status != 0) != neg {
					ts.Fatalf("exit status %d", status)
				}
			},
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				if status := run(ts, args[1:]); status != want {
					ts.Fatalf("exit status %d, want %d", status, want)
				}
			},
			"keep": func(ts *testscript.TestScript, _ bool, args []string) { ts.Setenv(args[0], text(member(ts, args[1]))) },
			"member": func(ts *testscript.TestScript, neg bool, args []string) {
				if got := text(member(ts, args[0])); (got == args[1]) == neg {
					ts.Fatalf("%s is %s", args[0], got)
				}
			},
			"stop": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(ts.Value(serverKey{}).(*server.Server).Stop())
			},
		},
	})
}

type serverKey struct{}

// member returns what a path leads to in the JSON on standard output.
func member(ts *testscript.TestScript, path string) any {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("standard output holds no JSON: %v", err)
	}
	for _, name := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			if name == "length" {
				v = float64(len(at))
				continue
			}
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(at) {
				ts.Fatalf("%s: the list has %d members", path, len(at))
			}
			v = at[n]
		default:
			ts.Fatalf("%s: there is no %q", path, name)
		}
	}
	return v
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(b)
}
