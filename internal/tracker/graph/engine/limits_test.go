package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// quickest runs a request a few times and returns how long the quickest took: a
// machine that is busy with other tests slows some, quadratic work all.
func quickest(t testing.TB, e *Engine, query, variables string) (out Result, reply map[string]any, took time.Duration) {
	t.Helper()
	took = time.Hour
	for range 5 {
		start := time.Now()
		out, reply = run(t, e, query, variables)
		took = min(took, time.Since(start))
	}
	return out, reply, took
}

func run(t testing.TB, e *Engine, query, variables string) (Result, map[string]any) {
	t.Helper()
	out := e.Execute(context.Background(), Request{Query: query, Variables: json.RawMessage(variables)}, &library{})
	var reply map[string]any
	if err := json.Unmarshal(out.JSON, &reply); err != nil {
		t.Fatalf("%v: %s", err, out.JSON)
	}
	return out, reply
}

// Documents that would take the validator or the planner long are refused soon.
func TestHostileDocuments(t *testing.T) {
	bomb := &strings.Builder{}
	bomb.WriteString("{book(id:1){...F0}}")
	for i := range 40 {
		fmt.Fprintf(bomb, "fragment F%d on Book{a:sequel{...F%d}b:sequel{...F%d}}", i, i+1, i+1)
	}
	bomb.WriteString("fragment F40 on Book{id}")
	wide := &strings.Builder{}
	wide.WriteString("{book(id:1){")
	for i := range 1000 {
		fmt.Fprintf(wide, "...W%d ", i)
	}
	wide.WriteString("}}")
	for i := range 1000 {
		fmt.Fprintf(wide, "fragment W%d on Book{id title}", i)
	}
	cycle := "{book(id:1){...A}} fragment A on Book{sequel{...A} s2:sequel{...A}}"
	for name, doc := range map[string]string{
		"one field 4,000 times":       "{book(id:1){" + strings.Repeat("id ", 4000) + "}}",
		"one field in 4,000 parents":  "{" + strings.Repeat("book(id:1){id}", 4000) + "}",
		"one fragment 4,000 times":    "{book(id:1){" + strings.Repeat("...F ", 4000) + "}} fragment F on Book{id}",
		"inline fragments, 500 deep":  "{book(id:1)" + strings.Repeat("{...on Book", 500) + "{id}" + strings.Repeat("}", 500) + "}",
		"selections, 500 deep":        "{book(id:1)" + strings.Repeat("{sequel", 500) + "{id}" + strings.Repeat("}", 500) + "}",
		"lists, 5,000 deep":           "{echoGrid(v:" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + ")}",
		"tokens":                      "{" + strings.Repeat("a:counter b:counter ", 4000) + "}",
		"bytes":                       "{counter #" + strings.Repeat("x", 300_000) + "\n}",
		"fragments that double":       bomb.String(),
		"a thousand fragments":        wide.String(),
		"a cycle of fragments":        cycle,
		"one alias in many fragments": "{book(id:1){" + strings.Repeat("...on Book{x:id}", 300) + "}}",
	} {
		e := newLibrary(t, Options{})
		out, reply, took := quickest(t, e, doc, "")
		if took > 300*time.Millisecond {
			t.Errorf("%s: took %v", name, took)
		}
		if _, ok := reply["data"]; ok || len(out.Errors) == 0 {
			t.Errorf("%s: not refused: %.100s", name, out.JSON)
		}
	}
}

// Documents within the limits are answered soon, too.
func TestDocumentsAtTheLimits(t *testing.T) {
	aliases := &strings.Builder{}
	aliases.WriteString("{")
	for i := range 3000 {
		fmt.Fprintf(aliases, "a%d:counter ", i)
	}
	aliases.WriteString("}")
	fragments := &strings.Builder{}
	fragments.WriteString("{book(id:1){")
	for i := range 90 {
		fmt.Fprintf(fragments, "...W%d ", i)
	}
	fragments.WriteString("}}")
	for i := range 90 {
		fmt.Fprintf(fragments, "fragment W%d on Book{id title author{id name} pages}", i)
	}
	for name, doc := range map[string]string{
		"one field 100 times":    "{book(id:1){" + strings.Repeat("id ", 100) + "}}",
		"100 times 20":           "{" + strings.Repeat("book(id:1){"+strings.Repeat("author{id}", 1)+"}", 100) + "}",
		"3,000 aliases":          aliases.String(),
		"90 fragments":           fragments.String(),
		"nodes of every type":    "{node(id:1){" + strings.Repeat("...on Book{id title}...on Author{id name}", 25) + "}}",
		"24 selections deep":     "{book(id:1)" + strings.Repeat("{sequel", 24) + "{id}" + strings.Repeat("}", 25),
		"long list in arguments": "{echoInts(v:[" + strings.Repeat("1,", 5000) + "])}",
	} {
		e := newLibrary(t, Options{})
		out, reply, took := quickest(t, e, doc, "")
		if took > 300*time.Millisecond {
			t.Errorf("%s: took %v", name, took)
		}
		if _, ok := reply["data"]; !ok {
			t.Errorf("%s: refused: %.200s", name, out.JSON)
		}
	}
}

func TestDeepVariables(t *testing.T) {
	e := newLibrary(t, Options{})
	deep := func(n int) string {
		return `{"d":` + strings.Repeat(`{"must":"x","inner":`, n) + "null" + strings.Repeat("}", n+1)
	}
	doc := "query($d:Deep){echoDeep(v:$d)}"
	if _, reply := run(t, e, doc, deep(60)); reply["errors"] != nil {
		t.Error(reply["errors"])
	}
	if _, reply := run(t, e, doc, deep(5000)); reply["errors"] == nil {
		t.Error("not refused")
	}
	wide := &strings.Builder{}
	for i := range 20_000 {
		fmt.Fprintf(wide, `"k%d":1,`, i)
	}
	out, reply, took := quickest(t, e, doc, `{"d":{`+wide.String()+`"must":1}}`)
	if reply["errors"] == nil || len(out.Errors) > maxVariableErrors+1 || took > 20*time.Second { // a guard against hanging; the errors are bounded above
		t.Errorf("%d errors in %v", len(out.Errors), took)
	}
	if _, reply := run(t, e, doc, `{"d":`); reply["errors"] == nil {
		t.Error("not refused")
	}
	if _, reply := run(t, e, doc, `[1]`); reply["errors"] == nil {
		t.Error("not refused")
	}
}

// A document is parsed once while it stays in the cache, and the cache keeps its bounds.
func TestCacheIsBounded(t *testing.T) {
	e := newLibrary(t, Options{CacheBytes: 50_000})
	for i := range 200 {
		run(t, e, fmt.Sprintf("query Q%d { counter }", i), "")
	}
	if n, bytes := e.cache.Len(); bytes > 50_000 || n == 0 {
		t.Errorf("%d documents of %d bytes", n, bytes)
	}
	_, last := e.cache.Get("query Q199 { counter }")
	if _, first := e.cache.Get("query Q0 { counter }"); !last || first {
		t.Error("the latest document is not the one kept")
	}
	e = newLibrary(t, Options{CacheCount: 3})
	for i := range 10 {
		run(t, e, fmt.Sprintf("query Q%d { counter }", i), "")
	}
	n, bytes := e.cache.Len()
	if n != 3 {
		t.Errorf("%d documents are kept", n)
	}
	// What the cache counts is what its documents and their plans weigh.
	sum := 0
	for i := 7; i < 10; i++ {
		d, ok := e.cache.Get(fmt.Sprintf("query Q%d { counter }", i))
		if !ok {
			t.Fatalf("the document %d is gone", i)
		}
		sum += treeWeight(d.text, d.ast)
		for _, op := range d.ops {
			for _, p := range op.plans {
				sum += planWeight(p)
			}
		}
	}
	if sum != bytes {
		t.Errorf("%d bytes are counted, %d are there", bytes, sum)
	}
}

// A document whose conditions take every combination keeps a bounded number of plans.
func TestVariantsAreBounded(t *testing.T) {
	e := newLibrary(t, Options{})
	doc, decl := "", ""
	for i := range 8 {
		decl += fmt.Sprintf("$v%d:Boolean!", i)
		doc += fmt.Sprintf(" a%d:counter @skip(if:$v%d)", i, i)
	}
	doc = "query(" + decl + "){__typename" + doc + "}"
	for mask := range 256 {
		vars := map[string]bool{}
		shown := 1
		for i := range 8 {
			vars[fmt.Sprintf("v%d", i)] = mask>>i&1 == 1
			shown += 1 - mask>>i&1
		}
		raw, _ := json.Marshal(vars)
		_, reply := run(t, e, doc, string(raw))
		if data := reply["data"].(map[string]any); len(data) != shown {
			t.Fatalf("%s: %v", raw, data)
		}
	}
	d, _ := e.cache.Get(doc)
	if n := len(d.ops[""].plans); n != maxVariants {
		t.Errorf("%d plans", n)
	}
	if _, bytes := e.cache.Len(); bytes < maxVariants*planWeight(&plan{}) {
		t.Errorf("%d plans count as %d bytes", maxVariants, bytes)
	}
}
