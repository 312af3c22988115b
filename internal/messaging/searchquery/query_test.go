package searchquery

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A Sunday.
var now = time.Date(2026, 3, 1, 15, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	for text, want := range map[string]Query{
		"":                         {},
		"  two WORDS ":             {All: []Term{{Words: []string{"two"}}, {Words: []string{"words"}}}},
		`"exact Phrase" x`:         {All: []Term{{Words: []string{"exact", "phrase"}}, {Words: []string{"x"}}}},
		`“curly marks”`:            {All: []Term{{Words: []string{"curly", "marks"}}}},
		`"never closed`:            {All: []Term{{Words: []string{"never"}}, {Words: []string{"closed"}}}},
		"wor* wo*":                 {All: []Term{{Words: []string{"wor"}, Prefix: true}, {Words: []string{"wo"}}}},
		"-not this":                {None: []Term{{Words: []string{"not"}}}, All: []Term{{Words: []string{"this"}}}},
		"a-b":                      {All: []Term{{Words: []string{"a", "b"}}}},
		"in:#one in:two -in:three": {In: []string{"#one", "two"}, NotIn: []string{"three"}},
		"from:me from:<@U123> -from:@bob to:me with:@ann":    {From: []string{"me", "<@U123>"}, NotFrom: []string{"@bob"}, Want: Traits{To: []string{"me"}, With: []string{"@ann"}}},
		"has::eyes: hasmy::+1: has:LINK is:Thread":           {Want: Traits{HasEmoji: []string{"eyes"}, HasMine: []string{"+1"}, Has: []string{"link"}, Is: []string{"thread"}}},
		"https://x.example key:value has:nothing":            {All: []Term{{Words: []string{"https", "x", "example"}}, {Words: []string{"key", "value"}}, {Words: []string{"has", "nothing"}}}},
		"-has:link -is:dm -with:@ann -has::eyes: -hasmy::x:": {Not: Traits{With: []string{"@ann"}, Has: []string{"link"}, HasEmoji: []string{"eyes"}, HasMine: []string{"x"}, Is: []string{"dm"}}},
		`-"two words" -on:2026-02-10`:                        {None: []Term{{Words: []string{"two", "words"}}}, NotAt: []Span{{1770681600000000, 1770768000000000}}},
		`from:"Ada Byron" x`:                                 {From: []string{"Ada Byron"}, All: []Term{{Words: []string{"x"}}}},
		":thumbsup: :+1: 👍 :nope:":                           {All: []Term{{Words: []string{"emojiqq2bq1"}}, {Words: []string{"emojiqq2bq1"}}, {Words: []string{"nope"}}}},
		"世界 ｶﾅ한국 ไทย word世x":                                 {All: []Term{{Words: []string{"世", "界"}}, {Words: []string{"ｶ", "ﾅ", "한", "국"}}, {Words: []string{"ไ", "ท", "ย"}}, {Words: []string{"word", "世", "x"}}}},
		"in: !!!":                                            {All: []Term{{Words: []string{"in"}}}},
	} {
		if got := Parse(text, now); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%q\n got %+v\nwant %+v", text, got, want)
		}
	}
}

func TestAModifierAloneIsAQuery(t *testing.T) {
	for _, text := range []string{"to:me", "-to:me", "with:me", "has:link", "is:dm", "in:#one", "-from:me", "hasmy::eyes:", "on:today"} {
		if q := Parse(text, now); q.Empty() {
			t.Errorf("%q has no conditions", text)
		}
	}
}

func TestDates(t *testing.T) {
	day := func(s string) int64 {
		if s == "" {
			return 0
		}
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d.UnixMicro()
	}
	for text, want := range map[string][2]string{
		"before:2026-02-10":                 {"", "2026-02-10"},
		"after:2026-02-10":                  {"2026-02-11", ""},
		"on:2026-02-10":                     {"2026-02-10", "2026-02-11"},
		"on:today":                          {"2026-03-01", "2026-03-02"},
		"on:yesterday":                      {"2026-02-28", "2026-03-01"},
		"on:monday":                         {"2026-02-23", "2026-02-24"},
		"on:sunday":                         {"2026-03-01", "2026-03-02"},
		"during:february":                   {"2026-02-01", "2026-03-01"},
		"during:August":                     {"2025-08-01", "2025-09-01"},
		"during:2020":                       {"2020-01-01", "2021-01-01"},
		"during:2020-05":                    {"2020-05-01", "2020-06-01"},
		"during:february-2020":              {"2020-02-01", "2020-03-01"},
		"during:Feb-2020":                   {"2020-02-01", "2020-03-01"},
		"during:2-2020":                     {"2020-02-01", "2020-03-01"},
		"during:week":                       {"2026-02-23", "2026-03-02"},
		"after:2026-01-01 before:yesterday": {"2026-01-02", "2026-02-28"},
	} {
		q := Parse(text, now)
		if q.Oldest != day(want[0]) || q.Latest != day(want[1]) {
			t.Errorf("%s: %v to %v", text, time.UnixMicro(q.Oldest).UTC(), time.UnixMicro(q.Latest).UTC())
		}
	}
	if q := Parse("before:soon", now); q.Latest != 0 || len(q.All) != 1 {
		t.Errorf("an unknown date is not searched for: %+v", q)
	}
}

func TestHighlight(t *testing.T) {
	q := Parse(`deploy fail* "blue green" -red`, now)
	got := Highlight("Deploy failed: blue, not red", &q)
	if want := "\ue000Deploy\ue001 \ue000failed\ue001: \ue000blue\ue001, not red"; got != want {
		t.Errorf("got %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a b", `"`, `-"x`, "in:#a from:me", "has::x:", "on:2026-13-45", "x*", "\xff\xfe", "“", "before:0001-01-01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := Parse(s, now)
		for _, term := range append(q.All, q.None...) {
			for _, w := range term.Words {
				if w == "" || !utf8.ValidString(w) && utf8.ValidString(s) || strings.ContainsAny(w, `"' `) {
					t.Fatalf("%q gave the word %q", s, w)
				}
			}
		}
		if utf8.ValidString(s) {
			plain := strings.NewReplacer(markOpen, "", markClose, "").Replace(Highlight(s, &q))
			if plain != strings.NewReplacer(markOpen, "", markClose, "").Replace(s) {
				t.Fatalf("highlighting changed %q to %q", s, plain)
			}
		}
	})
}
