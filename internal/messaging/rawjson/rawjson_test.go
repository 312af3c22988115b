package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"understudy/internal/platform/jsontext"
)

func TestValid(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, ` [ ] `: true, `{"a":[1,{"b":null}],"c":-0.5e+3}`: true, `"x"`: true, `true`: true, `0`: true,
		"\"\xff\"": true, `"\ud800"`: true,
		``: false, `{`: false, `{]`: false, `[1,]`: false, `{"a":1,}`: false, `{"a"}`: false, `{a:1}`: false, `{} x`: false,
		`01`: false, `-`: false, `1.`: false, `1e`: false, `.5`: false, `tru`: false, `"\x"`: false, `"\u12g4"`: false,
		"\"a\nb\"": false, `"a`: false, `"\`: false, `'a'`: false, `[[[[1]]]]`: false, `NaN`: false, `[[[1]]]`: true,
	} {
		if got := Valid([]byte(text), 3); got != want {
			t.Errorf("Valid(%q) = %v", text, got)
		}
	}
}

func TestMembersAndElements(t *testing.T) {
	var got []string
	for k, v := range Members([]byte(` { "a" : [1, 2] , "b":{"c":"}"}, "a" : null } `)) {
		got = append(got, Unquote(k)+"="+string(v))
	}
	want := []string{"a=[1, 2]", `b={"c":"}"}`, "a=null"}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("members %q", got)
	}
	n := 0
	for i, v := range Elements([]byte(`[ "a,b" , [2], 3 ]`)) {
		if i != n || string(v) != []string{`"a,b"`, "[2]", "3"}[i] {
			t.Errorf("element %d: %s", i, v)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d elements", n)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"x\u0000y"}`: `{"a":"xy"}`, `"\\u0000"`: `"\\u0000"`, `"\\\u0000"`: `"\\"`, "\"\xff\"": "\"\uFFFD\"", `"ok"`: `"ok"`,
	} {
		if got := string(Clean([]byte(in))); got != want {
			t.Errorf("Clean(%s) = %s, want %s", in, got, want)
		}
	}
}

// The standard library is the judge: what it reads we must read alike.
func FuzzAgainstStandard(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"\ud83d\ude00\n"}]}`, `"\ud800x"`, "\"\xff\"", `[-1.5e9,true,null]`, `{"a":1,}`, `[01]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := Valid(b, maxDepth), json.Valid(b); got != want {
			t.Fatalf("Valid(%q) = %v", b, got)
		}
		if !Valid(b, maxDepth) {
			return
		}
		lit := Trim(b)
		if !json.Valid(Clean(lit)) {
			t.Fatalf("Clean(%q) is not JSON", lit)
		}
		var elements []json.RawMessage
		if json.Unmarshal(b, &elements) == nil && elements != nil {
			for i, v := range Elements(b) {
				if !bytes.Equal(v, elements[i]) {
					t.Fatalf("element %d of %q is %q", i, b, v)
				}
			}
		}
		if lit[0] == '"' {
			var want string
			if err := json.Unmarshal(lit, &want); err != nil {
				t.Fatal(err)
			}
			if got := Unquote(lit); got != want {
				t.Fatalf("Unquote(%q) = %q, want %q", lit, got, want)
			}
		}
	})
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x00\xff\u2028😀")
	f.Fuzz(func(t *testing.T, s string) {
		lit := jsontext.Append(nil, s)
		var back string
		if err := json.Unmarshal(lit, &back); err != nil {
			t.Fatalf("%q: %v", lit, err)
		}
		if utf8.ValidString(s) && back != s {
			t.Fatalf("%q came back as %q", s, back)
		}
		if Unquote(lit) != back {
			t.Fatalf("Unquote(%q) differs", lit)
		}
	})
}
