package jsonvalue

import (
	"slices"
	"testing"

	"github.com/valyala/fastjson"
)

// parsed returns the members of an object by the parser. simple is false if Members may
// refuse the text.
func parsed(text string) (list []Member, simple bool) {
	v, err := fastjson.Parse(text)
	if err != nil {
		return nil, false
	}
	o, err := v.Object()
	if err != nil {
		return nil, false
	}
	simple = true
	o.Visit(func(key []byte, v *fastjson.Value) {
		switch v.Type() {
		case fastjson.TypeNull:
		case fastjson.TypeString:
			list = append(list, Member{string(key), string(v.GetStringBytes()), true})
		case fastjson.TypeObject, fastjson.TypeArray:
			simple = false
		default:
			list = append(list, Member{string(key), string(v.MarshalTo(nil)), false})
		}
	})
	return list, simple
}

var objects = []string{`{}`, ` { } `, `{"a":1}`, `{"a":-1.5e+3, "b" : "text" ,"c":true,"d":false,"e":null}`, `{"checkpoint.start":0,"checkpoint.db":12,"region":"eu"}`,
	`{"":""}`, `{"a":1,"a":2}`, "{\n\t\"a\":\r\"ä\"\n}", `{"a":"\n"}`, `{"\u0061":1}`, `{"a":{}}`, `{"a":[1]}`, `{"a":1,}`, `{"a":1}}`, `{"a":1} x`, `{"a" 1}`, `{"a":}`, `{a:1}`,
	`[1]`, `null`, ``, `{`, `{"a`, `{"a":"b`, `{"a":tru}`, `{"a":nan}`, `{"a":1x}`, `{"a":+1}`, `{"a":1 2}`, `{"a":"b""c":1}`, `{,}`, `{"a":-}`, `{"a":"x\\"}`}

// What Members reads of an object is what the parser reads of it.
func TestMembersAreThoseOfTheParser(t *testing.T) {
	read := 0
	for _, text := range objects {
		got, ok := Members(nil, text)
		if want, _ := parsed(text); ok && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if ok {
			read++
		}
	}
	if read < 7 {
		t.Errorf("%d objects were read", read)
	}
}

func FuzzMembers(f *testing.F) {
	for _, text := range objects {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Members(nil, text)
		if want, simple := parsed(text); ok && simple && !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		} else if ok && !simple && fastjson.Validate(text) == nil {
			t.Errorf("%q was read", text)
		}
	})
}
