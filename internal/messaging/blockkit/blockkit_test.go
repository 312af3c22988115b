package blockkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/fault"
)

// counter gives the ids i1, i2 and so on.
func counter() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("i%d", n) }
}

func TestBlocksAsKept(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                   `[]`,
		`[{"type":"divider"}]`: `[{"type":"divider","block_id":"i1"}]`,
		`[ {"type":"divider", "block_id":"mine"}, {"type":"divider","block_id":""} ]`:                     `[{"type":"divider","block_id":"mine"},{"type":"divider","block_id":"i1"}]`,
		`[{"type":"divider","block_id":"i1"},{"type":"divider"}]`:                                         `[{"type":"divider","block_id":"i1"},{"type":"divider","block_id":"i2"}]`,
		`[{"type":"section","text":{"text":"a & b","type":"mrkdwn"},"x":{"b":1,"a":2},"accessory":null}]`: `[{"type":"section","block_id":"i1","text":{"text":"a & b","type":"mrkdwn","verbatim":false},"x":{"b":1,"a":2}}]`,
		`[{"type":"header","text":{"type":"plain_text","text":"h"}}]`:                                     `[{"type":"header","block_id":"i1","text":{"type":"plain_text","text":"h","emoji":true}}]`,
		`[{"type":"section","fields":[{"type":"mrkdwn","text":"f","verbatim":true}]}]`:                    `[{"type":"section","block_id":"i1","fields":[{"type":"mrkdwn","text":"f","verbatim":true}]}]`,
		`[{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Go","emoji":false}},{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x","emoji":false}}]}]`: `[{"type":"actions","block_id":"i2","elements":[{"type":"button","text":{"type":"plain_text","text":"Go","emoji":false},"action_id":"i1"},{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x","emoji":false}}]}]`,
		`[{"type":"rich_text","elements":[{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]}]}]}]`:                                   `[{"type":"rich_text","block_id":"i1","elements":[{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]}]}]}]`,
		`[{"type":"image","image_url":"https://x","alt_text":""},{"type":"context","elements":[{"type":"image","image_url":"u","alt_text":"a"}]}]`:                                                           `[{"type":"image","block_id":"i1","image_url":"https://x","alt_text":""},{"type":"context","block_id":"i2","elements":[{"type":"image","image_url":"u","alt_text":"a"}]}]`,
		"[{\"type\":\"divider\",\"a\":1,\"a\":2,\"s\":\"\\u0000\xff\"}]": "[{\"type\":\"divider\",\"block_id\":\"i1\",\"a\":2,\"s\":\"\uFFFD\"}]",
	} {
		got, err := Blocks([]byte(in), counter())
		if err != nil {
			t.Errorf("%s: %v %v", in, err, err.Attrs)
		} else if string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestBlocksRefused(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for in, want := range map[string][]string{
		`[1]`:                             {"must provide an object [json-pointer:/blocks/0]"},
		`[{}]`:                            {"missing required field: type [json-pointer:/blocks/0]"},
		`[{"type":"nope"}]`:               {"unsupported type: nope [json-pointer:/blocks/0/type]"},
		`[{"type":"section"}]`:            {"missing required field: text [json-pointer:/blocks/0]"},
		`[{"type":"section","text":"x"}]`: {"must provide an object [json-pointer:/blocks/0/text]"},
		`[{"type":"section","text":{"type":"mrkdwn","text":""}}]`:                                                                     {"must be more than 0 characters [json-pointer:/blocks/0/text/text]"},
		`[{"type":"section","text":{"type":"mrkdwn","text":"` + long(3001) + `"}}]`:                                                   {"must be less than 3001 characters [json-pointer:/blocks/0/text/text]"},
		`[{"type":"header","text":{"type":"plain_text","text":"` + long(151) + `"}}]`:                                                 {"must be less than 151 characters [json-pointer:/blocks/0/text/text]"},
		`[{"type":"header","text":{"type":"mrkdwn","text":"x"}}]`:                                                                     {"failed to match all allowed schemas [json-pointer:/blocks/0/text]", "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]"},
		`[{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"` + long(76) + `"}}]}]`:                  {"must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]"},
		`[{"type":"actions","elements":[{"type":"button","action_id":"` + long(256) + `","text":{"type":"plain_text","text":"x"}}]}]`: {"must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]"},
		`[{"type":"divider","block_id":"` + long(256) + `"}]`:                                                                         {"must be less than 256 characters [json-pointer:/blocks/0/block_id]"},
		`[{"type":"divider","block_id":7}]`:                                                                                           {"must provide a string [json-pointer:/blocks/0/block_id]"},
		`[{"type":"divider","block_id":"a"},{"type":"divider","block_id":"a"}]`:                                                       {"block_id a is used more than once [json-pointer:/blocks]"},
		`[{"type":"actions","elements":[{"type":"static_select"}]}]`:                                                                  {"missing required field: options [json-pointer:/blocks/0/elements/0]"},
		`[{"type":"image","alt_text":"a"}]`:                                                                                           {"missing required field: image_url [json-pointer:/blocks/0]"},
		`[{"type":"rich_text","elements":[{"type":"x"}]}]`:                                                                            {"unsupported type: x [json-pointer:/blocks/0/elements/0/type]"},
		`[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user"}]}]}]`:                               {"missing required field: user_id [json-pointer:/blocks/0/elements/0/elements/0]"},
		`[{"type":"context","elements":[]}]`:                                                                                          {"no fewer than 1 items allowed [json-pointer:/blocks/0/elements]"},
		`[` + strings.TrimSuffix(strings.Repeat(`{"type":"divider"},`, 51), ",") + `]`:                                                {"no more than 50 items allowed [json-pointer:/blocks]"},
	} {
		_, err := Blocks([]byte(in), counter())
		if err == nil || err.Reason != InvalidBlocks {
			t.Errorf("%.80s: %v", in, err)
		} else if got, _ := err.Attrs.([]string); !slices.Equal(got, want) {
			t.Errorf("%.80s\n got %q\nwant %q", in, got, want)
		}
	}
	for in, want := range map[string]fault.Reason{
		`{}`: InvalidBlocksFormat, `[`: InvalidBlocksFormat, ``: InvalidBlocksFormat, `"[]"`: InvalidBlocksFormat, `[{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}]`: InvalidBlocksFormat,
		`["` + strings.Repeat("a", maxPayload) + `"]`: BlocksTooLong,
	} {
		if _, err := Blocks([]byte(in), counter()); err == nil || err.Reason != want {
			t.Errorf("%.40s: %v, want %s", in, err, want)
		}
	}
}

func TestAttachments(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:   `[]`,
		`[{}]`: `[{"fallback":"[no preview available]","id":1}]`,
		`[{"text":"a","color":"#36a64f","fallback":"f"},{"color":"good","id":9,"ts":""}]`:                  `[{"text":"a","color":"36a64f","fallback":"f","id":1},{"color":"good","id":2,"fallback":"[no preview available]"}]`,
		`[{"ts":1.5,"fallback":"f"},{"ts":"12","fallback":"f"},{"ts":"x","fallback":"f"}]`:                 `[{"ts":1.5,"fallback":"f","id":1},{"ts":"12","fallback":"f","id":2},{"fallback":"f","id":3}]`,
		`[{"fallback":"f","blocks":[{"type":"divider"}],"fields":[{"title":"t","value":1,"short":true}]}]`: `[{"fallback":"f","blocks":[{"type":"divider","block_id":"i1"}],"fields":[{"title":"t","value":1,"short":true}],"id":1}]`,
	} {
		got, err := Attachments([]byte(in), counter())
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", in, err, got, want)
		}
	}
	for in, want := range map[string]fault.Reason{
		`{}`: InvalidAttachments, `[`: InvalidAttachments, `[1]`: InvalidAttachments, `[{"text":7}]`: InvalidAttachments, `[{"blocks":[{}]}]`: InvalidAttachments,
		`[` + strings.TrimSuffix(strings.Repeat(`{},`, 101), ",") + `]`: TooManyAttachments, `["` + strings.Repeat("a", maxPayload) + `"]`: AttachmentPayloadLimitExceeded,
	} {
		_, err := Attachments([]byte(in), counter())
		if err == nil || err.Reason != want {
			t.Errorf("%.40s: %v, want %s", in, err, want)
			continue
		}
		if m, ok := err.Attrs.([]string); !ok || len(m) == 0 {
			t.Errorf("%.40s: no messages", in)
		}
	}
}

func TestMetadata(t *testing.T) {
	for in, want := range map[string]string{
		`{"event_type":"task_created","event_payload":{"id":1}}`: `{"event_type":"task_created","event_payload":{"id":1}}`, ` {} `: "",
	} {
		if got, err := Metadata([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
	for _, in := range []string{``, `[]`, `"x"`, `{"event_type":"x"}`, `{"event_type":"","event_payload":{}}`, `{"event_type":"x","event_payload":[]}`, `{"event_type":1,"event_payload":{}}`, `{`} {
		if _, err := Metadata([]byte(in)); err == nil || err.Reason != InvalidMetadataFormat {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// What was kept is accepted again and stays as it is.
func checkKept(t *testing.T, raw []byte, read func([]byte, func() string) ([]byte, *fault.Error)) {
	kept, err := read(raw, counter())
	if err != nil {
		if err.Reason == "" {
			t.Fatalf("%v", err)
		}
		return
	}
	if !json.Valid(kept) {
		t.Fatalf("%q is kept as %q, which is no JSON", raw, kept)
	}
	if len(kept) > maxPayload {
		return
	}
	again, err := read(kept, counter())
	if err != nil || string(again) != string(kept) {
		t.Fatalf("%q is read again as %q, %v", kept, again, err)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte(`[{"type":"section","text":{"type":"mrkdwn","text":"a"},"accessory":{"type":"button","text":{"type":"plain_text","text":"b"}}}]`))
	f.Add([]byte(`[{"type":"rich_text","elements":[{"type":"rich_text_list","style":"bullet","elements":[]}]},{"block_id":"i1","type":"divider"}]`))
	f.Add([]byte("[{\"type\":\"context\",\"elements\":[{\"type\":\"image\"}],\"a\":null,\"a\":\"\xff\\u0000\"}]"))
	f.Fuzz(func(t *testing.T, b []byte) { checkKept(t, b, Blocks) })
}

func FuzzAttachments(f *testing.F) {
	f.Add([]byte(`[{"color":"#fff","ts":"1","blocks":[{"type":"divider"}],"fields":[{}]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkKept(t, b, Attachments)
		if kept, err := Metadata(b); err == nil && kept != nil && !json.Valid(kept) {
			t.Fatalf("%q", kept)
		}
	})
}

func BenchmarkBlocks(b *testing.B) {
	raw := []byte(`[{"type":"section","text":{"type":"mrkdwn","text":"hello *there*"}},{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"Go"}}]}]`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Blocks(raw, func() string { return "x" }); err != nil {
			b.Fatal(err)
		}
	}
}
