package e2e

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"understudy/test/server"
)

// The same commit is built to the same bytes, wherever it is built: the program, and
// with UNDERSTUDY_TEST_PARTS=1 the list of what it is made of, whose writer takes
// as long to build as the program.
func TestAReleaseIsReproducible(t *testing.T) {
	t.Parallel()
	server.NeedTools(t, "make", "go", "git")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, name := range []string{"cmd", "internal", "tools", "web/dist"} {
		if err := os.CopyFS(filepath.Join(elsewhere, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "Makefile", "web/embed.go"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(elsewhere, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	target := "release-linux-amd64"
	listed := os.Getenv("UNDERSTUDY_TEST_PARTS") == "1"
	if listed {
		target = "parts-linux-amd64"
	}
	var programs, lists [2][]byte
	for i, folder := range []string{root, elsewhere} {
		dist := filepath.Join(t.TempDir(), "dist")
		// The pages are what both have, built or not.
		cmd := exec.CommandContext(t.Context(), "make", "-s", target, "DIST="+dist, "PAGES=", "VERSION=v1.2.3", "COMMIT=abc", "COMMITTED=2026-03-02T09:00:00Z")
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		path := filepath.Join(dist, "understudy-linux-amd64")
		if programs[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if !listed {
			continue
		}
		if lists[i], err = os.ReadFile(path + ".cdx.json"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(programs[0], programs[1]) {
		t.Error("two folders give two programs")
	}
	if !listed {
		return
	}
	if !bytes.Equal(lists[0], lists[1]) {
		t.Error("two folders give two lists")
	}
	info, err := buildinfo.Read(bytes.NewReader(programs[0]))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		BOMFormat  string
		Components []struct{ Name, Version string }
		Metadata   struct {
			Timestamp string
			Component struct{ Version string }
		}
	}
	if err := json.Unmarshal(lists[0], &list); err != nil || list.BOMFormat != "CycloneDX" || list.Metadata.Timestamp != "2026-03-02T09:00:00Z" || list.Metadata.Component.Version != "v1.2.3" {
		t.Errorf("%v %+v", err, list.Metadata)
	}
	named := map[string]string{}
	for _, c := range list.Components {
		named[c.Name] = c.Version
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if named[m.Path] != m.Version {
			t.Errorf("the list has %s %q, the program %s", m.Path, named[m.Path], m.Version)
		}
	}
}
