package callback

import (
	"encoding/json"
	"slices"
	"strings"
)

type object = map[string]any

// An element is an interactive element of a message and the block it stands in.
type element struct {
	block string
	is    object
}

func (e element) kind() string { s, _ := e.is["type"].(string); return s }

// elements returns the interactive elements of a message in order.
func elements(message []byte) (out []element) {
	var m struct{ Blocks, Attachments any }
	if json.Unmarshal(message, &m) != nil {
		return nil
	}
	var walk func(v any, block string)
	walk = func(v any, block string) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item, block)
			}
		case object:
			if id, ok := v["block_id"].(string); ok {
				block = id
			}
			if _, ok := v["action_id"].(string); ok {
				out = append(out, element{block, v})
				return
			}
			for _, name := range []string{"elements", "element", "accessory", "actions", "child_blocks", "blocks"} {
				walk(v[name], block)
			}
		}
	}
	walk(m.Blocks, "")
	walk(m.Attachments, "")
	return out
}

// selections are the members that hold what a person chose, by the type of
// element; inputs have a value.
var selections = map[string]string{
	"static_select": "selected_option", "external_select": "selected_option", "overflow": "selected_option", "radio_buttons": "selected_option",
	"users_select": "selected_user", "channels_select": "selected_channel", "conversations_select": "selected_conversation",
	"multi_static_select": "selected_options", "multi_external_select": "selected_options", "checkboxes": "selected_options",
	"multi_users_select": "selected_users", "multi_channels_select": "selected_channels", "multi_conversations_select": "selected_conversations",
	"datepicker": "selected_date", "timepicker": "selected_time", "datetimepicker": "selected_date_time",
	"plain_text_input": "value", "email_text_input": "value", "url_text_input": "value", "number_input": "value",
	"rich_text_input": "rich_text_value", "file_input": "files",
}

// echoed are the members of an element that an action repeats.
var echoed = []string{"text", "value", "url", "style", "confirm", "icon", "placeholder", "min_query_length", "timezone",
	"initial_option", "initial_options", "initial_user", "initial_users", "initial_channel", "initial_channels", "initial_conversation",
	"initial_conversations", "initial_date", "initial_time", "initial_date_time"}

// selection returns what a person chose at an element, in the form of the wire:
// an option may be named by its value alone. Without a choice it is the
// element's initial one, and null or an empty list without that.
func (e element) selection(chosen any) any {
	member := selections[e.kind()]
	if chosen == nil {
		initial := strings.Replace(member, "selected_", "initial_", 1)
		if member == "value" || member == "rich_text_value" {
			initial = "initial_value"
		}
		chosen = e.is[initial]
	}
	list := strings.HasSuffix(member, "s")
	if chosen == nil && list {
		return []any{}
	}
	switch member {
	case "selected_option":
		return e.option(chosen)
	case "selected_options":
		values, _ := chosen.([]any)
		out := make([]any, len(values))
		for i, v := range values {
			out[i] = e.option(v)
		}
		return out
	}
	return chosen
}

// option returns the option that a value names, or the value as it is.
func (e element) option(v any) any {
	name, ok := v.(string)
	if !ok {
		return v
	}
	var find func(v any) any
	find = func(v any) any {
		for _, o := range asList(v) {
			o, _ := o.(object)
			if o["value"] == name {
				return o
			}
			if found := find(o["options"]); found != nil {
				return found
			}
		}
		return nil
	}
	for _, list := range []string{"options", "option_groups"} {
		if found := find(e.is[list]); found != nil {
			return found
		}
	}
	return object{"text": object{"type": "plain_text", "text": name, "emoji": true}, "value": name}
}

func asList(v any) []any { l, _ := v.([]any); return l }

// fillActions completes actions with what the message says of their elements,
// and returns them with the state of all elements after them.
func fillActions(raw, message json.RawMessage, ts string) (actions, state json.RawMessage) {
	var list []object
	if json.Unmarshal(raw, &list) != nil || list == nil {
		list = []object{}
	}
	list = slices.DeleteFunc(list, func(a object) bool { return a == nil })
	all := elements(message)
	chosen := map[string]any{}
	for _, a := range list {
		if a["action_ts"] == nil {
			a["action_ts"] = ts
		}
		i := slices.IndexFunc(all, func(e element) bool {
			return e.is["action_id"] == a["action_id"] && (a["block_id"] == nil || a["block_id"] == e.block)
		})
		if i < 0 {
			if a["type"] == nil {
				a["type"] = "button"
			}
			continue
		}
		all[i].fill(a)
		chosen[all[i].block+"\x00"+a["action_id"].(string)] = a[selections[all[i].kind()]]
	}
	values := map[string]object{}
	for _, e := range all {
		member := selections[e.kind()]
		if member == "" || e.kind() == "overflow" {
			continue
		}
		id := e.is["action_id"].(string)
		if values[e.block] == nil {
			values[e.block] = object{}
		}
		values[e.block][id] = object{"type": e.kind(), member: e.selection(chosen[e.block+"\x00"+id])}
	}
	return encode(list), encode(object{"values": values})
}

// fill completes the action of an element.
func (e element) fill(a object) {
	a["type"], a["block_id"] = e.kind(), e.block
	member := selections[e.kind()]
	if e.kind() == "feedback_buttons" {
		for _, name := range []string{"positive_button", "negative_button"} {
			if b, _ := e.is[name].(object); b != nil && (a["value"] == b["value"] || a["value"] == nil) {
				a["text"], a["value"] = b["text"], b["value"]
				break
			}
		}
		return
	}
	for _, name := range echoed {
		if v, ok := e.is[name]; ok && a[name] == nil && name != member {
			a[name] = v
		}
	}
	if member == "" {
		return
	}
	given := a[member]
	if given == nil && member != "value" {
		given = a["value"] // a choice may be sent as a value
		delete(a, "value")
	}
	a[member] = e.selection(given)
}
