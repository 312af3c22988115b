package engine

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
)

// withArgs runs get with the arguments that echoMany got.
func withArgs(t *testing.T, query string, get func(Args)) {
	t.Helper()
	sdl, d := loadLibrary(t)
	b, err := NewBuilder(sdl)
	if err != nil {
		t.Fatal(err)
	}
	bindLibrary(b, d)
	b.objects["Query"].fields["echoMany"].leaf = func(buf []byte, c *Call, _ any) ([]byte, error) {
		get(c.Args)
		return append(buf, `"ok"`...), nil
	}
	e, err := b.Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if out := e.Execute(context.Background(), Request{Query: query}, &library{}); len(out.Errors) > 0 {
		t.Fatalf("%s", out.JSON)
	}
}

func TestArgs(t *testing.T) {
	withArgs(t, `{ echoMany(b: null, c: [PULP], d: {must: "m", may: null, inner: {must: "i"}}) }`, func(a Args) {
		if a.Name() != "Query.echoMany" || a.Len() != 4 {
			t.Errorf("%s, %d", a.Name(), a.Len())
		}
		if n, ok := a.Int("a"); n != 1 || !ok {
			t.Error("a")
		}
		if !a.Has("b") || !a.Null("b") || a.String("b") != "" || Opt[string](a, "b") != opt.Null[string]() {
			t.Error("b")
		}
		if a.Has("e") || a.Null("e") || a.Bool("e") || Opt[bool](a, "e").Set {
			t.Error("e")
		}
		if got := a.Strings("c"); len(got) != 1 || got[0] != "PULP" {
			t.Error(got)
		}
		if got := OptStrings(a, "c"); !got.Set || got.Null || len(got.Value) != 1 {
			t.Error(got)
		}
		d, ok := a.Object("d")
		inner, ok2 := d.Object("inner")
		if !ok || !ok2 || d.Name() != "Deep" || inner.String("must") != "i" || Opt[int](inner, "may") != opt.Some(7) || !d.Null("may") {
			t.Error(d)
		}
		var names []string
		for name := range d.All() {
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != "must may inner" {
			t.Error(got)
		}
	})
}

// A name that the schema lacks is a mistake of the program, and so is a wrong type.
func TestArgsPanicOnMistakes(t *testing.T) {
	withArgs(t, `{ echoMany }`, func(a Args) {
		for name, f := range map[string]func(){
			"unknown name": func() { a.Has("nope") },
			"wrong type":   func() { a.String("a") },
			"no schema":    func() { Args{}.Has("x") },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				f()
			}()
		}
	})
}

func TestBlockStrings(t *testing.T) {
	for raw, want := range map[string]string{
		"one":                      "one",
		"\n  a\n    b\n  c\n":      "a\n  b\nc",
		"a\n  b\n    c":            "a\nb\n  c",
		" a\r\n\t\r\n  b\r  c":     " a\n\nb\nc",
		"\n\n  \n":                 "",
		"\\\"\"\"":                 `"""`,
		"\n    x\n  \n      y\n\t": "x\n\n  y",
	} {
		if got := blockString(raw); got != want {
			t.Errorf("%q: have %q, want %q", raw, got, want)
		}
	}
}
