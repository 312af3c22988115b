package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who is the only one to ask an environment that was just opened asks by its one
// connection: nothing that begins with the first request reads beside it, for which
// the tables of the database would have to be read a second time.
func TestTheFirstRequestNeedsOneConnection(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("the system does not say which files are open")
	}
	onPlanes(t, func(t *testing.T, p plane) {
		if p.onPostgres() {
			t.Skip("its connections belong to no environment")
		}
		for range 20 { // where something reads beside a request, most of them need a second one
			w := p.world(p.Call("POST", "", nil, 201))
			w.Bot("auth.test", object{})
			if n := openFiles(t, "env_"+w.ID+".db"); n != 1 {
				t.Errorf("%d connections", n)
			}
		}
	})
}

// openFiles counts how often this process has a file of a name open.
func openFiles(t *testing.T, name string) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		if path, err := os.Readlink(fd); err == nil && strings.HasSuffix(path, "/"+name) {
			n++
		}
	}
	return n
}
