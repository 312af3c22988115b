package callback

import (
	"encoding/json"
	"reflect"
	"testing"
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
		got, state := fillActions([]byte(action+"}]"), []byte(message), "1.2")
		wantState := `{"values":{}}`
		if c.state != "" {
			wantState = `{"values":{"B":{"X":{"type":"` + elements([]byte(message))[0].kind() + `",` + c.state + `}}}}`
		}
		equal(t, name, got, `[{"action_id":"X","block_id":"B","action_ts":"1.2",`+c.want+`}]`)
		equal(t, name+", state", state, wantState)
	}
	got, state := fillActions([]byte(`[{"action_id":"gone"}]`), nil, "1.2")
	equal(t, "no element", got, `[{"action_id":"gone","type":"button","action_ts":"1.2"}]`)
	equal(t, "no element", state, `{"values":{}}`)
	_, state = fillActions([]byte(`null`), []byte(`{"blocks":[{"block_id":"I","type":"input","element":{"type":"plain_text_input","action_id":"t","initial_value":"x"}}]}`), "1.2")
	equal(t, "the rest of the message", state, `{"values":{"I":{"t":{"type":"plain_text_input","value":"x"}}}}`)
}

func equal(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	var g, w any
	if json.Unmarshal(got, &g) != nil || json.Unmarshal([]byte(want), &w) != nil || !reflect.DeepEqual(g, w) {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
