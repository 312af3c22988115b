package words

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// has reports whether a search finds a text.
func has(text, search string) bool {
	in := Append(nil, text)
	for _, h := range Of(search) {
		if !slices.Contains(in, h) {
			return false
		}
	}
	return true
}

func TestWordsAreFound(t *testing.T) {
	for _, c := range []struct {
		text, search string
		found        bool
	}{
		{"search_orders", "search", true},
		{"search_orders", "search_orders", true},
		{"search_orders", "sear", false},
		{`{"query":"Refund Ärger"}`, "refund ÄRGER", true},
		{`{"query":"caf\u00e9 \ud835\udc00"}`, "café", true},
		{`{"query":"caf\u00e9"}`, "caf", false},
		{`"one\ntwo\tthree"`, "one two three", true},
		{`{"text":"{\"a\":\"one\\nnext\"}"}`, "next", true},
		{`{"path":"C:\\new\\table"}`, "new table", true},
		{`C:\new`, "new", true},
		{"订单已退款", "退款", true},
		{"订单已退款", "退货", false},
		{"timeout after 30s", "30s", true},
		{"a", "a b", false},
		{"\xff\xfe x", "x", true},
		{`trailing \`, "trailing", true},
		{`\ud800`, "x", false},
	} {
		if has(c.text, c.search) != c.found {
			t.Errorf("%q in %q: %v", c.search, c.text, !c.found)
		}
	}
}

func TestPairsOfMetadata(t *testing.T) {
	in := AppendPairs(nil, fastjson.MustParse(`{"region":"eu","deep":{"n":1.50,"list":["a",true,null,{"x":"y"}]},"a.b":"c","":{"in":"d"}}`))
	for _, c := range []struct {
		name, value string
		found       bool
	}{{"region", "eu", true}, {"region", "us", false}, {"deep.n", "1.50", true}, {"deep.list", "a", true}, {"deep.list", "true", true},
		{"deep.list.x", "y", true}, {"a.b", "c", true}, {"deep.list", "null", false}, {"in", "d", true}} {
		if slices.Contains(in, Pair(c.name, c.value)) != c.found {
			t.Errorf("%s=%s: %v", c.name, c.value, !c.found)
		}
	}
	if len(AppendPairs(nil, nil)) != 0 {
		t.Error("what is no JSON has members")
	}
}

// A search for any word of a text without backslashes finds the text, and no text
// causes a panic.
func FuzzAppend(f *testing.F) {
	for _, s := range []string{`{"a":"b\nc"}`, `\u00e9\ud835\udc00`, "订单 x", `\\\\`, "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in := Append(nil, s)
		if !utf8.ValidString(s) {
			return
		}
		for _, h := range Of(s) {
			if !slices.Contains(in, h) && !slices.Contains([]byte(s), '\\') {
				t.Errorf("a word of %q is not found", s)
			}
		}
		v, _ := fastjson.Parse(s)
		AppendPairs(nil, v)
	})
}
