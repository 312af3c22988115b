package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// privateVerb matches the verbs that this program once used for "returns",
// "reports" and "allows". They are not wrong English, but a reader who knows Go
// expects the words of the standard library.
var privateVerb = regexp.MustCompile(`(?i)\b(gives?|tells?|lets)\b`)

// firstVerb matches a doc comment whose first verb is one of ours.
var firstVerb = regexp.MustCompile(`^\S+ (gives|tells|lets|takes|says|has \w+ be)\b`)

// wordExceptions lists the doc comments that may use such a word, by file and
// name, each with its reason.
var wordExceptions = map[string]string{}

// wordDebt is the number of complaints that each part of the tree still has. A
// part that reaches zero leaves the table; no number may grow.
var wordDebt = map[string]int{}

// unidiomatic returns a complaint for each comment that uses a verb of the
// private vocabulary, and for each doc comment that belongs to an exported name
// and does not begin with it. Comments of tests say what must hold: they need
// not begin with a name.
func unidiomatic(f goFile) (found []string) {
	if ast.IsGenerated(f.ast) {
		return nil
	}
	if f.test {
		return privateVerbs(f, map[*ast.CommentGroup]bool{})
	}
	checked := map[*ast.CommentGroup]bool{}
	defer func() { found = append(found, privateVerbs(f, checked)...) }()
	check := func(n ast.Node, name string, doc *ast.CommentGroup, mayHaveArticle bool) {
		if doc == nil {
			return
		}
		checked[doc] = true
		if _, ok := wordExceptions[f.path+" "+name]; ok {
			return
		}
		text := doc.Text()
		start := text
		if mayHaveArticle {
			for _, article := range []string{"A ", "An ", "The "} {
				start = strings.TrimPrefix(start, article)
			}
		}
		if ast.IsExported(name) && text != "" && !begins(start, name) {
			found = append(found, fmt.Sprintf("%s: the doc comment of %s does not begin with its name", f.at(n), name))
			return
		}
		word := privateVerb.FindString(text)
		if word == "" {
			word = firstVerb.FindString(text)
		}
		if word != "" {
			found = append(found, fmt.Sprintf("%s: the doc comment of %s says %q: say returns, reports, reads, accepts or allows", f.at(n), name, word))
		}
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d, d.Name.Name, d.Doc, false)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					doc := s.Doc
					if doc == nil && len(d.Specs) == 1 {
						doc = d.Doc
					}
					check(s, s.Name.Name, doc, true)
				case *ast.ValueSpec:
					doc := s.Doc
					if doc == nil && len(d.Specs) == 1 {
						doc = d.Doc
					}
					if len(s.Names) == 1 {
						check(s, s.Names[0].Name, doc, true)
					}
				}
			}
		}
	}
	return found
}

// privateVerbs returns a complaint for each comment with a verb of the private
// vocabulary, except those that were checked before.
func privateVerbs(f goFile, checked map[*ast.CommentGroup]bool) (found []string) {
	for _, c := range f.ast.Comments {
		if word := privateVerb.FindString(c.Text()); word != "" && !checked[c] {
			found = append(found, fmt.Sprintf("%s: a comment says %q: say returns, reports, reads, accepts or allows", f.at(c), word))
		}
	}
	return found
}

func begins(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	return ok && (rest == "" || !isLetter(rest[0]))
}

func isLetter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Comments are read by people who know Go and this field, and nothing of ours.
func TestCommentsUseTheWordsOfTheField(t *testing.T) {
	found := map[string][]string{}
	for _, f := range goFiles(t) {
		if shipped(f.dir) || under(f.dir, "test") {
			found[area(f.dir)] = append(found[area(f.dir)], unidiomatic(f)...)
		}
	}
	for area, complaints := range found {
		if len(complaints) <= wordDebt[area] {
			continue
		}
		slices.Sort(complaints)
		t.Errorf("%s has %d comments to mend, %d are known:\n%s", area, len(complaints), wordDebt[area], strings.Join(complaints, "\n"))
	}
}

// area returns the part of the tree that a folder is counted in: the first two
// elements of its path.
func area(dir string) string {
	parts := strings.SplitN(dir, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func TestTheCheckOfWordsFindsWhatItLooksFor(t *testing.T) {
	rows := []struct {
		src   string
		found int
	}{
		{"// Read gives the row.\nfunc Read() {}", 1},
		{"// Read returns the row and tells the caller.\nfunc Read() {}", 1},
		{"// Read takes a lock.\nfunc Read() {}", 1},
		{"// Returns the row.\nfunc Read() {}", 1},
		{"// Reader is one.\nfunc Read() {}", 1},
		{"// Read returns the row.\nfunc Read() {}", 0},
		{"// read gives the row.\nfunc read() {}", 1},
		{"// Returns the row.\nfunc read() {}", 0},
		{"func Read() {}", 0},
		{"// A Row is one row.\ntype Row struct{}", 0},
		{"// Row lets the caller in.\ntype Row struct{}", 1},
		{"// Limit is the largest number of rows.\nconst Limit = 1", 0},
		{"const (\n// What it is.\nLimit = 1\n)", 1},
		{"// String gives text.\nfunc (*Row) String() {}", 1},
		{"// String returns text.\nfunc (*row) String() {}", 0},
		{"func read() {\n// It gives up.\n}", 1},
		{"// String gives text.\nfunc String() {\n// It gives up.\n}", 2},
	}
	for _, r := range rows {
		f, err := parse("internal/messaging/x.go", "package p\n"+r.src)
		if err != nil {
			t.Fatal(err)
		}
		if got := unidiomatic(f); len(got) != r.found {
			t.Errorf("%q: found %q, want %d", r.src, got, r.found)
		}
	}
	f, err := parse("internal/messaging/x_test.go", "package p\n// A post tells nobody.\nfunc TestRead() {}\n// Whoever reads.\nfunc TestOther() {}")
	if err != nil {
		t.Fatal(err)
	}
	if got := unidiomatic(f); len(got) != 1 {
		t.Errorf("of a test it found %q", got)
	}
}
