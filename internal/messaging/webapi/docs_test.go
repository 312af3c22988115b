package webapi

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheDocsNameEveryMethodAndArgument(t *testing.T) {
	for name := range methods {
		if _, ok := arguments[name]; !ok {
			t.Errorf("%s has no row in arguments", name)
		}
	}
	documented := map[string]bool{}
	for name := range methods {
		if replyShapes[name] == nil {
			t.Errorf("%s has no row in replyShapes", name)
		}
		if _, ok := refusals[name]; !ok {
			t.Errorf("%s has no row in refusals", name)
		}
	}
	for name, list := range arguments {
		if methods[name] == nil {
			t.Errorf("arguments has a row for %s, which is no method", name)
		}
		for _, item := range strings.Fields(list) {
			item, _, _ = strings.Cut(item, ":")
			item = strings.TrimSuffix(item, "!")
			documented[item] = true
			if argumentDoc(name, item) == "" {
				t.Errorf("%s: the argument %s has no description", name, item)
			}
		}
	}
	read := regexp.MustCompile(`c\.(?:text|raw|args\.(?:String|Raw|Bool|Int|List))\("(\w+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range read.FindAllSubmatch(src, -1) {
			found++
			if !documented[string(m[1])] {
				t.Errorf("%s reads the argument %q, which no row of arguments has", f, m[1])
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d reads of arguments were found: the pattern no longer fits the code", found)
	}
	if n := len(Operations("token")); n != 27 {
		t.Errorf("%d operations", n)
	}
}
