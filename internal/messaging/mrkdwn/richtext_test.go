package mrkdwn

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// elements returns what RichText has inside its one block.
func elements(t *testing.T, text string, mrkdwn bool) string {
	t.Helper()
	out := string(RichText(text, "b1", mrkdwn, nil))
	if !json.Valid([]byte(out)) {
		t.Fatalf("RichText(%q) is no JSON: %s", text, out)
	}
	inner, ok := strings.CutPrefix(out, `[{"type":"rich_text","block_id":"b1","elements":[`)
	inner, ok2 := strings.CutSuffix(inner, `]}]`)
	if !ok || !ok2 {
		t.Fatalf("RichText(%q) = %s", text, out)
	}
	return inner
}

func section(elements string) string {
	return `{"type":"rich_text_section","elements":[` + elements + `]}`
}

func text(s string) string { return `{"type":"text","text":"` + s + `"}` }

func styledText(s, style string) string {
	return `{"type":"text","text":"` + s + `","style":{"` + style + `":true}}`
}

func TestRichTextInline(t *testing.T) {
	for in, want := range map[string]string{
		"hello":                            text("hello"),
		"a \"q\" \\ é":                     text(`a \"q\" \\ é`),
		"a &amp; b &lt;c":                  text("a & b <c"),
		"*b* _i_ ~s~ `c`":                  styledText("b", "bold") + "," + text(" ") + "," + styledText("i", "italic") + "," + text(" ") + "," + styledText("s", "strike") + "," + text(" ") + "," + styledText("c", "code"),
		"*a _b_*":                          styledText("a ", "bold") + `,{"type":"text","text":"b","style":{"bold":true,"italic":true}}`,
		"snake_case_name 2*3*4":            text("snake_case_name 2*3*4"),
		"*a\nb* ** * a * *":                text(`*a\nb* ** * a * *`),
		"*a":                               text("*a"),
		"`*a*` `":                          styledText("*a*", "code") + "," + text(" `"),
		"`a &lt; &amp;lt;`":                styledText("a < &lt;", "code"),
		"<@U1> <@U2|bob>":                  `{"type":"user","user_id":"U1"},` + text(" ") + `,{"type":"user","user_id":"U2"}`,
		"<#C1|general>":                    `{"type":"channel","channel_id":"C1"}`,
		"<!here>":                          `{"type":"broadcast","range":"here"}`,
		"<!subteam^S1|@x>":                 `{"type":"usergroup","usergroup_id":"S1"}`,
		"<!date^12^{date}|then>":           `{"type":"date","timestamp":12,"format":"{date}","fallback":"then"}`,
		"<!other|label> <!x>":              text("label <!x>"),
		"<https://x.io?a&amp;b>":           `{"type":"link","url":"https://x.io?a&b"}`,
		"*<https://x.io|a*b>*":             `{"type":"link","url":"https://x.io","text":"a*b","style":{"bold":true}}`,
		":thumbsup: a:nope: :no_such_one:": `{"type":"emoji","name":"+1","unicode":"1f44d"},` + text(" a:nope: :no_such_one:"),
		":+1::skin-tone-2::tada:":          `{"type":"emoji","name":"+1","unicode":"1f44d-1f3fb","skin_tone":2},{"type":"emoji","name":"tada","unicode":"1f389"}`,
		"at 10:30:45, *now*: x":            text("at 10:30:45, ") + "," + styledText("now", "bold") + "," + text(": x"),
		"<b>":                              text("<b>"),
		"a\x00\x01\xff":                    text(`a\u0000\u0001` + "\uFFFD"),
	} {
		if got := elements(t, in, true); got != section(want) {
			t.Errorf("RichText(%q)\n got %s\nwant %s", in, got, section(want))
		}
	}
}

func TestRichTextBlocks(t *testing.T) {
	const bullet, ordered = `"style":"bullet","indent":0,"border":0}`, `"style":"ordered","indent":0,"border":0}`
	list := func(tail string, items ...string) string {
		return `{"type":"rich_text_list","elements":[` + strings.Join(items, ",") + `],` + tail
	}
	quote := func(s string) string { return `{"type":"rich_text_quote","elements":[` + s + `]}` }
	pre := func(s string) string { return `{"type":"rich_text_preformatted","elements":[` + s + `],"border":0}` }
	for in, want := range map[string]string{
		"":                      "",
		"a\nb":                  section(text(`a\nb`)),
		"• a\n• *b*":            list(bullet, section(text("a")), section(styledText("b", "bold"))),
		"to do:\n- a\n- b\nend": section(text(`to do:\n`)) + "," + list(bullet, section(text("a")), section(text("b"))) + "," + section(text("end")),
		"1. a\n2. b\n• c":       list(ordered, section(text("a")), section(text("b"))) + "," + list(bullet, section(text("c"))),
		"3. a":                  list(`"style":"ordered","indent":0,"offset":2,"border":0}`, section(text("a"))),
		"- a\n    - b":          list(bullet, section(text("a"))) + "," + list(`"style":"bullet","indent":1,"border":0}`, section(text("b"))),
		"-a\n- \n1.5\n2024. x":  section(text(`-a\n- \n1.5\n2024. x`)),
		"&gt; a\n&gt;b\nc":      quote(text(`a\nb`)) + "," + section(text("c")),
		"&gt;&gt;&gt; a\nb":     quote(text(`a\nb`)),
		"x &gt; y":              section(text("x > y")),
		"```\na &lt; *b*\n```":  pre(text("a < *b*")),
		"see ```x``` then":      section(text("see ")) + "," + pre(text("x")) + "," + section(text(" then")),
		"a\n```x\n- y```\n- z":  section(text(`a\n`)) + "," + pre(text(`x\n- y`)) + "," + list(bullet, section(text("z"))),
		"```x":                  section(text("```x")),
		"``````":                section(text("``````")),
		"&gt; *q*\n&gt; <@U1>":  quote(styledText("q", "bold") + "," + text(`\n`) + `,{"type":"user","user_id":"U1"}`),
	} {
		if got := elements(t, in, true); got != want {
			t.Errorf("RichText(%q)\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestRichTextWithoutMarkup(t *testing.T) {
	got := elements(t, "*a* :tada: `b` &amp;\n- <@U1>", false)
	if want := section(text("*a* :tada: `b` &\\n- ") + `,{"type":"user","user_id":"U1"}`); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"a &amp;lt; b": "a &lt; b", "<@U1|bob> <@U1> <#C1|gen> <#C1>": "@bob @U1 #gen #C1", "<https://x.io|the page> <https://x.io?a&amp;b>": "the page https://x.io?a&b",
		"<!here> <!subteam^S1|@team> <!date^1^x|then>": "@here @team then", "<mailto:a@b.co|a@b.co> <mailto:a@b.co>": "a@b.co a@b.co", "x": "x", "<b>&": "<b>&",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFallbackText(t *testing.T) {
	for in, want := range map[string]string{
		`[{"type":"header","text":{"type":"plain_text","text":"A & B"}},{"type":"divider"},{"type":"section","text":{"type":"mrkdwn","text":"*hi* <@U1>"},"fields":[{"type":"mrkdwn","text":"f"}],"accessory":{"type":"button","text":{"type":"plain_text","text":"Go"}}}]`:                                                                                                                                                           "A &amp; B\n*hi* <@U1>\nf, with interactive elements",
		`[{"type":"context","elements":[{"type":"image","alt_text":"cat"},{"type":"mrkdwn","text":"by me"}]},{"type":"image","title":{"type":"plain_text","text":"T"},"alt_text":"alt"}]`:                                                                                                                                                                                                                                             "cat\nby me\nT\nalt",
		`[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a < b "},{"type":"text","text":" x ","style":{"bold":true,"code":true}},{"type":"link","url":"https://x.io?a&b","text":"l"},{"type":"user","user_id":"U1"},{"type":"emoji","name":"tada"}]},{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"i"}]}]}]}]`: "a &lt; b  *`x`* <https://x.io?a&amp;b|l><@U1>:tada:\n• i",
		`{}`: "", `[`: "", `[1,"x",{"type":7}]`: "", `[{"type":"section","text":"see https://x.io"}]`: "see <https://x.io>",
	} {
		if got := FallbackText([]byte(in)); got != want {
			t.Errorf("FallbackText(%s)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestHostileTextIsFast(t *testing.T) {
	for name, unit := range hostile {
		in := strings.Repeat(unit, MaxText/len(unit))
		start := clock.Real()
		out := RichText(Normalize(in, Options{LinkNames: true, Resolver: known}), "b", true, nil)
		if took := clock.Real().Sub(start); took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if !json.Valid(out) {
			t.Errorf("%s returns no JSON", name)
		}
	}
}

func FuzzRichText(f *testing.F) {
	for _, s := range []string{"*a _b_* `c` ~d~", "- a\n1. b\n&gt; c\n```d```", "<@U1> <!date^1^x^https://y|z> :tada:", "\x00\xff\"\\", "*`*`*", "&gt;&gt;&gt;```a```"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, mrkdwn bool) {
		for _, in := range []string{s, Normalize(s, Options{})} {
			out := RichText(in, s, mrkdwn, nil)
			if !json.Valid(out) {
				t.Fatalf("RichText(%q) = %s", in, out)
			}
			FallbackText(out)
		}
	})
}

func FuzzFallbackText(f *testing.F) {
	f.Add([]byte(`[{"type":"section","text":{"type":"mrkdwn","text":"x"},"fields":[1]}]`))
	f.Add(RichText("*a*\n- b\n```c``` <@U1>", "x", true, nil))
	f.Fuzz(func(_ *testing.T, b []byte) { FallbackText(b) })
}

func BenchmarkRichTextPlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		RichText("hello there, how are you today?", "aB3x", true, nil)
	}
}

func BenchmarkRichTextMarkup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		RichText("hello *there*, <@U012345> see <https://example.com|this>: :tada:", "aB3x", true, nil)
	}
}
