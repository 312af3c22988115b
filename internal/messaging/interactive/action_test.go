package interactive

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"understudy/internal/platform/fault"
)

func TestActionsOfEachElement(t *testing.T) {
	const options = `"options":[{"text":{"type":"plain_text","text":"A","emoji":true},"value":"a"},{"text":{"type":"plain_text","text":"B","emoji":true},"value":"b"}]`
	const a, b = `{"text":{"type":"plain_text","text":"A","emoji":true},"value":"a"}`, `{"text":{"type":"plain_text","text":"B","emoji":true},"value":"b"}`
	for name, c := range map[string]struct{ element, action, want, state string }{
		"button":              {`"type":"button","text":{"type":"plain_text","text":"Go"},"value":"v","style":"danger"`, ``, `"type":"button","text":{"type":"plain_text","text":"Go"},"value":"v","style":"danger"`, ``},
		"feedback":            {`"type":"feedback_buttons","positive_button":{"text":{"text":"y"},"value":"yes"},"negative_button":{"text":{"text":"n"},"value":"no"}`, `"value":"no"`, `"type":"feedback_buttons","text":{"text":"n"},"value":"no"`, ``},
		"icon":                {`"type":"icon_button","icon":"trash","text":{"text":"x"},"value":"v"`, ``, `"type":"icon_button","icon":"trash","text":{"text":"x"},"value":"v"`, ``},
		"static by value":     {`"type":"static_select",` + options, `"value":"b"`, `"type":"static_select","selected_option":` + b, `"selected_option":` + b},
		"static":              {`"type":"static_select","initial_option":` + a + `,` + options, `"selected_option":` + b, `"type":"static_select","initial_option":` + a + `,"selected_option":` + b, `"selected_option":` + b},
		"overflow":            {`"type":"overflow",` + options, `"selected_option":"a"`, `"type":"overflow","selected_option":` + a, ``},
		"radio":               {`"type":"radio_buttons","initial_option":` + a + `,` + options, ``, `"type":"radio_buttons","initial_option":` + a + `,"selected_option":` + a, `"selected_option":` + a},
		"checkboxes":          {`"type":"checkboxes",` + options, `"selected_options":["a","b"]`, `"type":"checkboxes","selected_options":[` + a + `,` + b + `]`, `"selected_options":[` + a + `,` + b + `]`},
		"checkboxes, none":    {`"type":"checkboxes",` + options, ``, `"type":"checkboxes","selected_options":[]`, `"selected_options":[]`},
		"multi static":        {`"type":"multi_static_select","placeholder":{"text":"p"},` + options, `"selected_options":["b"]`, `"type":"multi_static_select","placeholder":{"text":"p"},"selected_options":[` + b + `]`, `"selected_options":[` + b + `]`},
		"users":               {`"type":"users_select","initial_user":"U1"`, `"selected_user":"U2"`, `"type":"users_select","initial_user":"U1","selected_user":"U2"`, `"selected_user":"U2"`},
		"users, none":         {`"type":"users_select"`, ``, `"type":"users_select","selected_user":null`, `"selected_user":null`},
		"multi users":         {`"type":"multi_users_select"`, `"selected_users":["U1"]`, `"type":"multi_users_select","selected_users":["U1"]`, `"selected_users":["U1"]`},
		"channels":            {`"type":"channels_select"`, `"selected_channel":"C1"`, `"type":"channels_select","selected_channel":"C1"`, `"selected_channel":"C1"`},
		"multi conversations": {`"type":"multi_conversations_select","initial_conversations":["C1"]`, ``, `"type":"multi_conversations_select","initial_conversations":["C1"],"selected_conversations":["C1"]`, `"selected_conversations":["C1"]`},
		"date":                {`"type":"datepicker","initial_date":"2026-01-01"`, `"selected_date":"2026-02-02"`, `"type":"datepicker","initial_date":"2026-01-01","selected_date":"2026-02-02"`, `"selected_date":"2026-02-02"`},
		"time":                {`"type":"timepicker","timezone":"Etc/UTC"`, `"selected_time":"10:00"`, `"type":"timepicker","timezone":"Etc/UTC","selected_time":"10:00"`, `"selected_time":"10:00"`},
		"date and time":       {`"type":"datetimepicker"`, `"selected_date_time":1600000000`, `"type":"datetimepicker","selected_date_time":1600000000`, `"selected_date_time":1600000000`},
		"text":                {`"type":"plain_text_input","initial_value":"old"`, `"value":"new"`, `"type":"plain_text_input","value":"new"`, `"value":"new"`},
		"number":              {`"type":"number_input","is_decimal_allowed":false`, ``, `"type":"number_input","value":null`, `"value":null`},
		"rich text":           {`"type":"rich_text_input"`, `"rich_text_value":{"type":"rich_text"}`, `"type":"rich_text_input","rich_text_value":{"type":"rich_text"}`, `"rich_text_value":{"type":"rich_text"}`},
	} {
		message := `{"blocks":[{"type":"actions","block_id":"B","elements":[{"action_id":"X",` + c.element + `}]}]}`
		action := `[{"action_id":"X"`
		if c.action != "" {
			action += "," + c.action
		}
		got, state, err := Complete([]byte(action+"}]"), []byte(message), "1.2")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantState := `{"values":{}}`
		if c.state != "" {
			wantState = `{"values":{"B":{"X":{"type":"` + Elements([]byte(message))[0].Kind() + `",` + c.state + `}}}}`
		}
		equal(t, name, got, `[{"action_id":"X","block_id":"B","action_ts":"1.2",`+c.want+`}]`)
		equal(t, name+", state", state, wantState)
	}
	_, state, err := Complete([]byte(`null`), []byte(`{"blocks":[{"block_id":"I","type":"input","element":{"type":"plain_text_input","action_id":"t","initial_value":"x"}}]}`), "1.2")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the rest of the message", state, `{"values":{"I":{"t":{"type":"plain_text_input","value":"x"}}}}`)
}

// Only elements and choices of the stored message can be clicked or chosen;
// what a caller sends about an element is ignored.
func TestOnlyWhatTheMessageOffers(t *testing.T) {
	const message = `{"blocks":[{"type":"actions","block_id":"B","elements":[
		{"type":"button","action_id":"go","text":{"type":"plain_text","text":"Go"},"value":"v"},
		{"type":"static_select","action_id":"pick","option_groups":[{"options":[{"text":{"text":"A"},"value":"a"}]}]},
		{"type":"checkboxes","action_id":"many","options":[{"text":{"text":"A"},"value":"a"}]},
		{"type":"users_select","action_id":"who"},{"type":"multi_users_select","action_id":"all"},
		{"type":"datepicker","action_id":"day"},{"type":"timepicker","action_id":"hour"},{"type":"datetimepicker","action_id":"when"},
		{"type":"feedback_buttons","action_id":"rate","positive_button":{"value":"y"},"negative_button":{"value":"n"}},
		{"type":"external_select","action_id":"far"}]}],
		"attachments":[{"blocks":[{"type":"section","block_id":"S","accessory":{"type":"overflow","action_id":"more","options":[{"value":"x"}]}}]}]}`
	for action, want := range map[string]*fault.Error{
		`"action_id":"gone"`:                                                  NoSuchElement,
		`"action_id":"go","block_id":"S"`:                                     NoSuchElement,
		`"action_id":7`:                                                       NoSuchElement,
		`"type":"button"`:                                                     NoSuchElement,
		`"action_id":"pick","selected_option":"b"`:                            NoSuchOption,
		`"action_id":"pick","selected_option":{"value":"b"}`:                  NoSuchOption,
		`"action_id":"pick","selected_option":{}`:                             NoSuchOption,
		`"action_id":"pick","selected_option":["a"]`:                          NoSuchOption,
		`"action_id":"many","selected_options":"a"`:                           NoSuchOption,
		`"action_id":"many","selected_options":["a","b"]`:                     NoSuchOption,
		`"action_id":"who","selected_user":["U1"]`:                            NoSuchOption,
		`"action_id":"all","selected_users":[1]`:                              NoSuchOption,
		`"action_id":"day","selected_date":"tomorrow"`:                        NoSuchOption,
		`"action_id":"hour","selected_time":"25:00"`:                          NoSuchOption,
		`"action_id":"when","selected_date_time":"now"`:                       NoSuchOption,
		`"action_id":"rate","value":"maybe"`:                                  NoSuchOption,
		`"action_id":"more","selected_option":"y"`:                            NoSuchOption,
		`"action_id":"pick","selected_option":{"value":"a","text":"mine"}`:    nil,
		`"action_id":"far","selected_option":"anything"`:                      nil,
		`"action_id":"far","selected_option":{"value":"x","text":{"text":1}}`: nil,
	} {
		_, _, err := Complete([]byte("[{"+action+"}]"), []byte(message), "1.2")
		if want == nil && err != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", action, err, want)
		}
	}
	got, _, err := Complete([]byte(`[{"action_id":"go","value":"forged","text":"forged","style":"danger","type":"static_select"}]`), []byte(message), "1.2")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "forged", got, `[{"action_id":"go","block_id":"B","action_ts":"1.2","type":"button","text":{"type":"plain_text","text":"Go"},"value":"v"}]`)
	if _, _, err = Complete([]byte(`[{"action_id":"gone"}]`), []byte(message), "1.2"); err == nil || !strings.Contains(err.Error(), "go, pick, many") {
		t.Errorf("%v", err)
	}
	pick := Elements([]byte(message))[1]
	if a, err := pick.Choice([]any{"a"}); err != nil || !strings.Contains(string(a), `"selected_option":"a"`) {
		t.Errorf("%s %v", a, err)
	}
	if _, err := pick.Choice([]any{"a", "b"}); !errors.Is(err, NoSuchOption) {
		t.Errorf("%v", err)
	}
}

// Completing any input returns actions or a refusal.
func FuzzComplete(f *testing.F) {
	f.Add(`[{"action_id":"a","selected_option":{"value":"x"}}]`, `{"blocks":[{"block_id":"b","elements":[{"type":"static_select","action_id":"a","options":[{"value":"x"}]}]}]}`)
	f.Add(`[{"action_id":"a","value":[1]}]`, `{"attachments":[{"actions":[{"type":"datepicker","action_id":"a"}]}]}`)
	f.Fuzz(func(t *testing.T, actions, message string) {
		got, state, err := Complete([]byte(actions), []byte(message), "1.000001")
		if err == nil && (!json.Valid(got) || !json.Valid(state)) {
			t.Fatalf("%s %s", got, state)
		}
	})
}

func equal(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	var g, w any
	if json.Unmarshal(got, &g) != nil || json.Unmarshal([]byte(want), &w) != nil || !reflect.DeepEqual(g, w) {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
