package blockkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/fault"
)

// counting returns a reader whose ids are i1, i2 and so on.
func counting() Reader {
	n := 0
	return Reader{NewID: func() string { n++; return fmt.Sprintf("i%d", n) }, Markdown: func(text string) []byte {
		return []byte(`[{"type":"header","text":{"type":"plain_text","text":"` + text + `"}},{"type":"divider"}]`)
	}}
}

func TestBlocksAsStored(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                   `[]`,
		`[{"type":"divider"}]`: `[{"type":"divider","block_id":"i1"}]`,
		`[ {"type":"divider", "block_id":"mine"}, {"type":"divider"} ]`:                 `[{"type":"divider","block_id":"mine"},{"type":"divider","block_id":"i1"}]`,
		`[{"type":"divider","block_id":"i1"},{"type":"divider"}]`:                       `[{"type":"divider","block_id":"i1"},{"type":"divider","block_id":"i2"}]`,
		`[{"type":"section","text":{"text":"a & b","type":"mrkdwn"},"accessory":null}]`: `[{"type":"section","block_id":"i1","text":{"text":"a & b","type":"mrkdwn","verbatim":false}}]`,
		`[{"type":"header","text":{"type":"plain_text","text":"h"}}]`:                   `[{"type":"header","block_id":"i1","text":{"type":"plain_text","text":"h","emoji":true}}]`,
		`[{"type":"section","fields":[{"type":"mrkdwn","text":"f","verbatim":true}]}]`:  `[{"type":"section","block_id":"i1","fields":[{"type":"mrkdwn","text":"f","verbatim":true}]}]`,
		`[{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Go","emoji":false},"style":"danger"},{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x","emoji":false}}]}]`: `[{"type":"actions","block_id":"i2","elements":[{"type":"button","action_id":"i1","text":{"type":"plain_text","text":"Go","emoji":false},"style":"danger"},{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x","emoji":false}}]}]`,
		`[{"type":"rich_text","elements":[{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]}]}]}]`:                                                    `[{"type":"rich_text","block_id":"i1","elements":[{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]}]}]}]`,
		`[{"type":"image","image_url":"https://x","alt_text":"a"},{"type":"context","elements":[{"type":"image","image_url":"https://u","alt_text":"a"}]}]`:                                                                   `[{"type":"image","block_id":"i1","image_url":"https://x","alt_text":"a"},{"type":"context","block_id":"i2","elements":[{"type":"image","image_url":"https://u","alt_text":"a"}]}]`,
		`[{"type":"task_card","task_id":"7","title":"Build","details":{"type":"rich_text","elements":[]}}]`:                                                                                                                   `[{"type":"task_card","block_id":"task-7","task_id":"7","title":"Build","details":{"type":"rich_text","elements":[],"block_id":"i1"}}]`,
		`[{"type":"plan","title":"P","tasks":[{"task_id":"1","title":"a"}]}]`:                                                                                                                                                 `[{"type":"plan","block_id":"i1","title":"P","tasks":[{"type":"task_card","block_id":"task-1","task_id":"1","title":"a"}]}]`,
		`[{"type":"table","rows":[[{"type":"raw_text","text":"a"},{"type":"rich_text","elements":[]}]],"column_settings":[null,{"align":"right"}]}]`:                                                                          `[{"type":"table","block_id":"i2","rows":[[{"type":"raw_text","text":"a"},{"type":"rich_text","elements":[],"block_id":"i1"}]],"column_settings":[null,{"align":"right"}]}]`,
		`[{"type":"markdown","text":"hey","block_id":"gone"},{"type":"divider"}]`:                                                                                                                                             `[{"type":"header","block_id":"i2","text":{"type":"plain_text","text":"hey","emoji":true}},{"type":"divider","block_id":"i3"},{"type":"divider","block_id":"i1"}]`,
		"[{\"type\":\"divider\",\"block_id\":\"1\",\"block_id\":\"2\\u0000\xff\"}]":                                                                                                                                           "[{\"type\":\"divider\",\"block_id\":\"2\uFFFD\"}]",
	} {
		got, err := counting().Blocks([]byte(in))
		if err != nil {
			t.Errorf("%s: %v %v", in, err, err.Attrs)
		} else if string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// Samples of upstream's documentation, each a block of its own.
func TestBlocksAccepted(t *testing.T) {
	for _, in := range []string{
		`{"type":"card","title":{"type":"mrkdwn","text":"Deploy"},"body":{"type":"plain_text","text":"b"},"hero_image":{"type":"image","image_url":"https://x.io/a.png","alt_text":"a"},"actions":[{"type":"button","text":{"type":"plain_text","text":"Go"}}]}`,
		`{"type":"carousel","elements":[{"type":"card","title":{"type":"plain_text","text":"a"}}]}`,
		`{"type":"container","title":{"type":"plain_text","text":"c"},"child_blocks":[{"type":"divider"},{"type":"section","text":{"type":"mrkdwn","text":"x"}}],"is_collapsible":true}`,
		`{"type":"data_table","caption":"c","rows":[[{"type":"raw_text","text":"a"}],[{"type":"raw_number","value":1.5,"text":"1.5"}]]}`,
		`{"type":"data_visualization","title":"t","chart":{"type":"pie","segments":[{"label":"a","value":1}]}}`,
		`{"type":"data_visualization","title":"t","chart":{"type":"bar","series":[{"name":"s","data":[{"label":"a","value":-1}]}],"axis_config":{"categories":["a"]}}}`,
		`{"type":"context_actions","elements":[{"type":"feedback_buttons","positive_button":{"text":{"type":"plain_text","text":"y"},"value":"y"},"negative_button":{"text":{"type":"plain_text","text":"n"},"value":"n"}},{"type":"icon_button","icon":"trash","text":{"type":"plain_text","text":"x"}}]}`,
		`{"type":"input","label":{"type":"plain_text","text":"l"},"element":{"type":"number_input","is_decimal_allowed":false,"min_value":"1"}}`,
		`{"type":"input","label":{"type":"plain_text","text":"l"},"element":{"type":"datetimepicker","initial_date_time":1600000000}}`,
		`{"type":"actions","elements":[{"type":"static_select","option_groups":[{"label":{"type":"plain_text","text":"g"},"options":[{"text":{"type":"plain_text","text":"o"},"value":"v"}]}]},{"type":"multi_users_select","initial_users":["U1"]},{"type":"datepicker","initial_date":"2026-01-02"},{"type":"timepicker","initial_time":"23:59"}]}`,
		`{"type":"section","text":{"type":"mrkdwn","text":"x"},"accessory":{"type":"conversations_select","filter":{"include":["im","private"]}}}`,
		`{"type":"image","alt_text":"a","slack_file":{"id":"F1"}}`,
		`{"type":"video","title":{"type":"plain_text","text":"v"},"video_url":"https://v","thumbnail_url":"https://t","alt_text":"a"}`,
		`{"type":"header","text":{"type":"plain_text","text":"h"},"level":2}`,
	} {
		if _, err := counting().Blocks([]byte("[" + in + "]")); err != nil {
			t.Errorf("%s: %v", in, err.Attrs)
		}
	}
}

func TestBlocksRefused(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	const wrapped = "failed to match all allowed schemas [json-pointer:/blocks/0/text]"
	for in, want := range map[string][]string{
		`[1]`:                             {"must provide an object [json-pointer:/blocks/0]"},
		`[{}]`:                            {"missing required field: type [json-pointer:/blocks/0]"},
		`[{"type":7}]`:                    {"must provide a string [json-pointer:/blocks/0/type]"},
		`[{"type":"nope"}]`:               {"unsupported type: nope [json-pointer:/blocks/0/type]"},
		`[{"type":"section"}]`:            {"must define either `text` or `fields` [json-pointer:/blocks/0/type]"},
		`[{"type":"section","text":"x"}]`: {"must provide an object [json-pointer:/blocks/0/text]"},
		`[{"type":"section","text":{"type":"mrkdwn","text":"x"},"foo":1,"bar":{}}]`:                                                                                                             {"invalid additional property: foo [json-pointer:/blocks/0]", "invalid additional property: bar [json-pointer:/blocks/0]"},
		`[{"type":"section","text":{"type":"mrkdwn","text":""}}]`:                                                                                                                               {wrapped, "must be more than 0 characters [json-pointer:/blocks/0/text/text]"},
		`[{"type":"section","text":{"type":"mrkdwn","text":"` + long(3001) + `"}}]`:                                                                                                             {wrapped, "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"},
		`[{"type":"section","fields":[{"type":"mrkdwn","text":"` + long(2001) + `"}]}]`:                                                                                                         {"failed to match all allowed schemas [json-pointer:/blocks/0/fields/0]", "must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]"},
		`[{"type":"header","text":{"type":"plain_text","text":"` + long(151) + `"}}]`:                                                                                                           {wrapped, "must be less than 151 characters [json-pointer:/blocks/0/text/text]"},
		`[{"type":"header","text":{"type":"mrkdwn","text":"x"}}]`:                                                                                                                               {wrapped, "must be a valid enum value [json-pointer:/blocks/0/text/type]"},
		`[{"type":"actions","elements":[{"type":"button","action_id":"` + long(256) + `","text":{"type":"plain_text","text":"x"}}]}]`:                                                           {"must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]"},
		`[{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x"}},{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x"}}]}]`: {"`action_id` \"a\" already exists [json-pointer:/blocks/0/elements/1/action_id]"},
		`[{"type":"actions","elements":[{"type":"plain_text_input"}]}]`:                                                                                                                         {"unsupported type: plain_text_input [json-pointer:/blocks/0/elements/0/type]"},
		`[{"type":"actions","elements":[{"type":"button"}]}]`:                                                                                                                                   {"missing required field: text [json-pointer:/blocks/0/elements/0]"},
		`[{"type":"input","label":{"type":"plain_text","text":"l"},"element":{"type":"file_input"}}]`:                                                                                           {"unsupported type: file_input [json-pointer:/blocks/0/element/type]"},
		`[{"type":"divider","block_id":""}]`:                                                                                                                                                    {"must be more than 0 characters [json-pointer:/blocks/0/block_id]"},
		`[{"type":"divider","block_id":7}]`:                                                                                                                                                     {"must provide a string [json-pointer:/blocks/0/block_id]"},
		`[{"type":"divider","block_id":"a"},{"type":"divider","block_id":"a"}]`:                                                                                                                 {"`block_id` \"a\" already exists [json-pointer:/blocks/1/block_id]"},
		`[{"type":"actions","elements":[{"type":"static_select"}]}]`:                                                                                                                            {"failed to match exactly one allowed schema [json-pointer:/blocks/0/elements/0]"},
		`[{"type":"image","alt_text":"a"}]`:                                                                                                                                                     {"failed to match exactly one allowed schema [json-pointer:/blocks/0]"},
		`[{"type":"image","alt_text":"a","image_url":"not a url"}]`:                                                                                                                             {"input must be a valid: uri [json-pointer:/blocks/0/image_url]"},
		`[{"type":"image"}]`: {"missing required field: alt_text [json-pointer:/blocks/0]"},
		`[{"type":"alert","text":{"type":"plain_text","text":"x"}}]`:                                                                                        {"unsupported type: alert [json-pointer:/blocks/0/type]"},
		`[{"type":"file","external_id":"x","source":"remote"}]`:                                                                                             {"unsupported type: file [json-pointer:/blocks/0/type]"},
		`[{"type":"container","title":{"type":"plain_text","text":"c"},"child_blocks":[{"type":"alert"}]}]`:                                                 {"unsupported type: alert [json-pointer:/blocks/0/child_blocks/0/type]"},
		`[{"type":"card","subtitle":{"type":"mrkdwn","text":"s"}}]`:                                                                                         {"failed to match any allowed schemas [json-pointer:/blocks/0]"},
		`[{"type":"rich_text","elements":[{"type":"x"}]}]`:                                                                                                  {"unsupported type: x [json-pointer:/blocks/0/elements/0/type]"},
		`[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"user"}]}]}]`:                                                     {"missing required field: user_id [json-pointer:/blocks/0/elements/0/elements/0]"},
		`[{"type":"rich_text","elements":[{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[]}],"indent":9}]}]`: {"must be less than 8 [json-pointer:/blocks/0/elements/0/indent]"},
		`[{"type":"context","elements":[]}]`:                                                                                                                {"must provide at least 1 items [json-pointer:/blocks/0/elements]"},
		`[{"type":"input","label":{"type":"plain_text","text":"l"},"element":{"type":"datepicker","initial_date":"1-2-3"}}]`:                                {"input must match regex pattern: ^\\d{4}-\\d{2}-\\d{2}$ [json-pointer:/blocks/0/element/initial_date]"},
		`[{"type":"divider"},{"type":"table","rows":[[{"type":"raw_text","text":"a","x/y~z":1}]]}]`:                                                         {"invalid additional property: x/y~z [json-pointer:/blocks/1/rows/0/0]"},
		`[{"type":"section","text":{"type":"mrkdwn","text":"x"},"a":1},{"type":"divider","b":1}]`:                                                           {"invalid additional property: a [json-pointer:/blocks/0]", "invalid additional property: b [json-pointer:/blocks/1]"},
		`[` + strings.TrimSuffix(strings.Repeat(`{"type":"divider"},`, 51), ",") + `]`:                                                                      {"no more than 50 items allowed [json-pointer:/blocks]"},
		`[` + strings.Repeat(`{"type":"divider"},`, 49) + `{"type":"markdown","text":"becomes two"}]`:                                                       {"no more than 50 items allowed [json-pointer:/blocks]"},
	} {
		_, err := counting().Blocks([]byte(in))
		if err == nil || err.Reason != InvalidBlocks {
			t.Errorf("%.80s: %v", in, err)
		} else if got, _ := err.Attrs.([]string); !slices.Equal(got, want) {
			t.Errorf("%.80s\n got %q\nwant %q", in, got, want)
		}
	}
	table := `{"type":"table","rows":[[{"type":"raw_text","text":"a"}]]}`
	for in, want := range map[string]fault.Reason{
		`{}`: InvalidBlocksFormat, `[`: InvalidBlocksFormat, ``: InvalidBlocksFormat, `"[]"`: InvalidBlocksFormat, `[{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}]`: InvalidBlocksFormat,
		`["` + strings.Repeat("a", maxPayload) + `"]`:                                                                                  BlocksTooLong,
		`[{"type":"markdown","text":"` + long(7000) + `"},{"type":"markdown","text":"` + long(5001) + `"}]`:                            BlocksTooLong,
		`[` + strings.TrimSuffix(strings.Repeat(`{"type":"section","text":{"type":"mrkdwn","text":"`+long(3000)+`"}},`, 5), ",") + `]`: BlocksTooLong,
		`[` + table + `,` + table + `]`: InvalidAttachments,
		`[` + table + `,{"type":"container","title":{"type":"plain_text","text":"c"},"child_blocks":[` + table + `]}]`: InvalidAttachments,
	} {
		_, err := counting().Blocks([]byte(in))
		if err == nil || err.Reason != want {
			t.Errorf("%.40s: %v, want %s", in, err, want)
		} else if got, _ := err.Attrs.([]string); want == InvalidAttachments && !slices.Equal(got, []string{"only_one_table_allowed"}) {
			t.Errorf("%.40s: %q", in, got)
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
		got, err := counting().Attachments([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", in, err, got, want)
		}
	}
	for in, want := range map[string]fault.Reason{
		`{}`: InvalidAttachments, `[`: InvalidAttachments, `[1]`: InvalidAttachments, `[{"text":7}]`: InvalidAttachments, `[{"blocks":[{}]}]`: InvalidAttachments, `[{"text":"a","surprise":1}]`: InvalidAttachments,
		`[` + strings.TrimSuffix(strings.Repeat(`{},`, 101), ",") + `]`: TooManyAttachments, `["` + strings.Repeat("a", maxPayload) + `"]`: AttachmentPayloadLimitExceeded,
	} {
		_, err := counting().Attachments([]byte(in))
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

// checkStored fails unless what was stored is accepted again and stays as it is.
func checkStored(t *testing.T, raw []byte, read func(Reader, []byte) ([]byte, *fault.Error)) {
	kept, err := read(counting(), raw)
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
	again, err := read(counting(), kept)
	if err != nil || string(again) != string(kept) {
		t.Fatalf("%q is read again as %q, %v", kept, again, err)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte(`[{"type":"section","text":{"type":"mrkdwn","text":"a"},"accessory":{"type":"button","text":{"type":"plain_text","text":"b"}}}]`))
	f.Add([]byte(`[{"type":"rich_text","elements":[{"type":"rich_text_list","style":"bullet","elements":[]}]},{"block_id":"i1","type":"divider"}]`))
	f.Add([]byte("[{\"type\":\"context\",\"elements\":[{\"type\":\"image\"}],\"a\":null,\"a\":\"\xff\\u0000\"}]"))
	f.Fuzz(func(t *testing.T, b []byte) { checkStored(t, b, Reader.Blocks) })
}

func FuzzAttachments(f *testing.F) {
	f.Add([]byte(`[{"color":"#fff","ts":"1","blocks":[{"type":"divider"}],"fields":[{}]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkStored(t, b, Reader.Attachments)
		if kept, err := Metadata(b); err == nil && kept != nil && !json.Valid(kept) {
			t.Fatalf("%q", kept)
		}
	})
}

func BenchmarkBlocks(b *testing.B) {
	raw := []byte(`[{"type":"section","text":{"type":"mrkdwn","text":"hello *there*"}},{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"Go"}}]}]`)
	b.ReportAllocs()
	r := Reader{NewID: func() string { return "x" }}
	for b.Loop() {
		if _, err := r.Blocks(raw); err != nil {
			b.Fatal(err)
		}
	}
}
