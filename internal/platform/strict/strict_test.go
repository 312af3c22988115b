package strict

import (
	"encoding/json"
	"errors"
	"testing"

	"understudy/internal/platform/fault"
)

type inner struct {
	Kind string `json:"kind"`
}

type embedded struct {
	Limit int `json:"limit"`
}

// own reads itself.
type own struct{ inner }

func (*own) UnmarshalJSON([]byte) error { return nil }

type outer struct {
	embedded
	Name   string             `json:"name"`
	Hidden string             `json:"-"`
	For    *inner             `json:"for"`
	List   []inner            `json:"list"`
	By     map[string]inner   `json:"by"`
	Free   json.RawMessage    `json:"free"`
	Any    any                `json:"any"`
	Texts  []string           `json:"texts"`
	Own    own                `json:"own"`
	Plain  map[string]string  `json:"plain"`
	Deep   map[string][]inner `json:"deep"`
}

func TestUnknownMembersAreRefusedAtAnyDepth(t *testing.T) {
	for _, row := range []struct{ text, place, near string }{
		{`{"name":"x","limit":1,"for":{"kind":"a"},"list":[{"kind":"b"}],"by":{"z":{"kind":"c"}},"free":{"x":1},"any":{"y":2},"texts":["t"],"plain":{"p":"q"},"own":{"z":1}}`, "", ""},
		{`{"nme":"x"}`, "nme", "name"},
		{`{"Name":"x"}`, "Name", "name"},
		{`{"Hidden":"x"}`, "Hidden", ""},
		{`{"limt":1}`, "limt", "limit"},
		{`{"for":{"knd":1}}`, "for.knd", "kind"},
		{`{"for":null,"list":null}`, "", ""},
		{`{"list":[{"kind":"a"},{"king":"b"}]}`, "list[1].king", "kind"},
		{`{"by":{"z":{"other":1}}}`, "by.z.other", ""},
		{`{"deep":{"a":[{"kind":""},{"kin":""}]}}`, "deep.a[1].kin", "kind"},
		{`{"":1}`, "", ""},
		{`[`, "", ""},
	} {
		err := Members([]byte(row.text), &outer{})
		e, _ := fault.As(err)
		if row.text == `{"":1}` {
			if !errors.Is(err, Unknown) {
				t.Errorf("an empty name: %v", err)
			}
			continue
		}
		if row.place == "" {
			if err != nil {
				t.Errorf("%s: %v", row.text, err)
			}
			continue
		}
		if !errors.Is(err, Unknown) || e.Field != row.place || e.Attrs != Suggestion(row.near) {
			t.Errorf("%s: %v, want %s, near %q", row.text, err, row.place, row.near)
		}
	}
}

func TestMembersAreGivenOnce(t *testing.T) {
	for text, place := range map[string]string{
		`{"name":"x","name":"x"}`:                  "name",
		`{"for":{"kind":"a","kind":"b"}}`:          "for.kind",
		`{"list":[{},{"kind":"a","kind":null}]}`:   "list[1].kind",
		`{"free":{"a":1,"a":2},"plain":{"p":"q"}}`: "",
	} {
		if err := Members([]byte(text), &outer{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		err := MembersOnce([]byte(text), &outer{})
		if f, ok := fault.As(err); ok != (place != "") || ok && (!f.Is(Twice) || f.Field != place) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
