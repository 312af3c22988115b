package archtest

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Somebody who looks for a folder on docs/architecture.md finds it.
func TestTheArchitecturePageNamesEveryFolder(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```\n")
	tree, after, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("docs/architecture.md does not begin with a tree")
	}
	after, _, _ = strings.Cut(after, "\n## ")
	seen := map[string]bool{}
	for _, f := range goFiles(t) {
		if seen[f.dir] || !under(f.dir, "internal") && !under(f.dir, "cmd") {
			continue
		}
		seen[f.dir] = true
		if name := path.Base(f.dir); !regexp.MustCompile(`\b` + name + `\b`).MatchString(tree + after) {
			t.Errorf("%s is not named in the tree of docs/architecture.md: add it, with what it is for", f.dir)
		}
	}
}
