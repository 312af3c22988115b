package mrkdwn

import (
	"strings"
	"testing"
	"unicode/utf8"
)

type names map[string]string

func (n names) UserID(name string) (string, bool)    { id, ok := n["@"+name]; return id, ok }
func (n names) ChannelID(name string) (string, bool) { id, ok := n["#"+name]; return id, ok }

var known = names{"@bob": "U1", "@bob.jr": "U2", "#general": "C1", "#été": "C2"}

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		"hello, world":       "hello, world",
		"a & b":              "a &amp; b",
		"a &amp; b &lt;&gt;": "a &amp; b &lt;&gt;",
		"&quot; & &amp":      "&amp;quot; &amp; &amp;amp",
		"1 < 2 > 0":          "1 &lt; 2 &gt; 0",
		"> quote":            "&gt; quote",
		"<@U1> <#C1|general> <!here> <!subteam^S1|@x> <!date^1^{date}|d>": "<@U1> <#C1|general> <!here> <!subteam^S1|@x> <!date^1^{date}|d>",
		"<https://x.io?a=1&b=2|a & b>":                                    "<https://x.io?a=1&amp;b=2|a &amp; b>",
		"<b>bold</b> <@bob> <#general>":                                   "&lt;b&gt;bold&lt;/b&gt; &lt;@bob&gt; &lt;#general&gt;",
		"<javascript:alert(1)|x>":                                         "&lt;javascript:alert(1)|x&gt;",
		"<@U1":                                                            "&lt;@U1",
		"see https://x.io/a?b=1&c=2.":                                     "see <https://x.io/a?b=1&amp;c=2>.",
		"(http://x.io/a_(b)) https://x.io/é":                              "(<http://x.io/a_(b)>) <https://x.io/é>",
		"HTTPS://X.IO xhttps://x.io https:// ://":                         "<HTTPS://X.IO> xhttps://x.io https:// ://",
		"&lt;https://x.io/?a&amp;&gt;":                                    "&lt;<https://x.io/?a&amp;>&gt;",
		"*https://x.io*":                                                  "*<https://x.io>*",
		"mail a.b+c@x-y.co.uk, not a@b or @b.co":                          "mail <mailto:a.b+c@x-y.co.uk|a.b+c@x-y.co.uk>, not a@b or @b.co",
		"`a < b & https://x.io 👍` 👍":                                      "`a &lt; b &amp; https://x.io 👍` :+1:",
		"```\nif a < b {}\n``` `":                                         "```\nif a &lt; b {}\n``` `",
		"`<@U1> <x>`":                                                     "`<@U1> &lt;x&gt;`",
		"👍🏽👨‍👩‍👧 ❤️ 1️⃣ ©":                                                ":+1::skin-tone-4::man-woman-girl: :heart: :one: ©",
		"日本語 é":                                                           "日本語 é",
		"a\x00b\xffc":                                                     "ab\uFFFDc",
		"@bob @here #general":                                             "@bob @here #general",
		"<mailto:a@b.co|a@b.co>":                                          "<mailto:a@b.co|a@b.co>",
	} {
		got := Normalize(in, Options{Resolver: known})
		if got != want {
			t.Errorf("Normalize(%q)\n got %q\nwant %q", in, got, want)
		}
		if again := Normalize(got, Options{Resolver: known}); again != got {
			t.Errorf("%q is read again as %q", got, again)
		}
	}
}

func TestNormalizeOptions(t *testing.T) {
	for _, c := range []struct {
		opts     Options
		in, want string
	}{
		{Options{LinkNames: true}, "@bob", "@bob"},
		{Options{LinkNames: true, Resolver: known}, "hi @Bob, @bob.jr. @nobody #general! #nowhere a@bob", "hi <@U1>, <@U2>. @nobody <#C1|general>! #nowhere a@bob"},
		{Options{LinkNames: true, Resolver: known}, "@here @channel @everyone #été", "<!here> <!channel> <!everyone> <#C2|été>"},
		{Options{Parse: ParseFull, Resolver: known}, "@bob: https://x.io", "<@U1>: <https://x.io>"},
		{Options{Parse: ParseNone, Resolver: known}, "@bob https://x.io a@b.co & <@U1>", "@bob https://x.io a@b.co &amp; <@U1>"},
		{Options{LinkNames: true, Resolver: known}, "`@bob`", "`@bob`"},
	} {
		if got := Normalize(c.in, c.opts); got != c.want {
			t.Errorf("Normalize(%q, %+v)\n got %q\nwant %q", c.in, c.opts, got, c.want)
		}
	}
}

func TestNormalizeTruncates(t *testing.T) {
	if got := Normalize(strings.Repeat("é", MaxText+1), Options{}); utf8.RuneCountInString(got) != MaxText {
		t.Errorf("%d characters", utf8.RuneCountInString(got))
	}
	if in := strings.Repeat("a", MaxText); Normalize(in, Options{}) != in {
		t.Error("a text of the greatest length is kept")
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"a & b <@U1> <https://x|y>", "`a` ```b``` https://x.io). a@b.co 👍🏽", "1️⃣ @bob #general", "\x00\xff&amp;amp;", "http://a@b.co|`<"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, link bool) {
		opts := Options{LinkNames: link, Resolver: known}
		got := Normalize(s, opts)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Fatalf("%q is not fit to keep", got)
		}
		for i := 0; i < len(got); i++ {
			switch got[i] {
			case '<':
				_, end := ControlAt(got, i)
				if end == 0 {
					t.Fatalf("%q has a bare '<' at %d", got, i)
				}
				i = end - 1
			case '>':
				t.Fatalf("%q has a bare '>' at %d", got, i)
			case '&':
				if _, n := entity(got, i); n == 0 {
					t.Fatalf("%q has a bare '&' at %d", got, i)
				}
			}
		}
		Plain(got)
	})
}

func BenchmarkNormalizePlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Normalize("hello there, how are you today?", Options{})
	}
}

// Text made to be slow must not be.
func BenchmarkNormalizeHostile(b *testing.B) {
	for name, unit := range hostile {
		text := strings.Repeat(unit, MaxText/len(unit))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				RichText(Normalize(text, Options{LinkNames: true, Resolver: known}), "b", true, nil)
			}
		})
	}
}

var hostile = map[string]string{
	"stars": "*a ", "nested": "*_~", "ticks": "`a``", "fences": "```", "opens": "<@", "urls": "https://;;;;", "colons": ":a:", "items": "- ```a\n",
	"quotes": "&gt;*\n", "at": "@a.b", "entities": "&amp;", "joiners": "👍\u200d", "spans": "*a `b* ", "mixed": "*`_a\n",
}
