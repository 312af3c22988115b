package interactive

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/fault"
)

// The errors of an interaction with an element.
var (
	NoSuchElement = fault.New(fault.Unprocessable, "no_such_element", "The message has no element with this action_id.")
	NoSuchOption  = fault.New(fault.Unprocessable, "no_such_option", "The element does not offer this.")
)

// ActionIDs are the Attrs of NoSuchElement: the action_ids in the message.
type ActionIDs []string

// echoed are the members of an element that its action contains.
var echoed = []string{"text", "value", "url", "style", "confirm", "icon", "placeholder", "min_query_length", "timezone",
	"initial_option", "initial_options", "initial_user", "initial_users", "initial_channel", "initial_channels", "initial_conversation",
	"initial_conversations", "initial_date", "initial_time", "initial_date_time"}

// Complete completes actions from the message that contains their elements, and
// returns them with the resulting state of all elements. An action names its
// element by action_id and optionally block_id, and has the choice in the member
// of the element's type or in value; other members come from the message. ts is
// the action_ts of actions without one. It returns NoSuchElement and
// NoSuchOption.
func Complete(raw, message json.RawMessage, ts string) (actions, state json.RawMessage, err error) {
	var list []object
	if json.Unmarshal(raw, &list) != nil || list == nil {
		list = []object{}
	}
	list = slices.DeleteFunc(list, func(a object) bool { return a == nil })
	all := Elements(message)
	chosen := map[[2]string]any{}
	for _, a := range list {
		if a["action_ts"] == nil {
			a["action_ts"] = ts
		}
		action, _ := a["action_id"].(string)
		block, _ := a["block_id"].(string)
		e, err := Find(all, action, block)
		if err != nil {
			return nil, nil, err
		}
		if err := e.fill(a); err != nil {
			return nil, nil, err
		}
		chosen[[2]string{e.Block, e.ActionID()}] = a[selections[e.Kind()]]
	}
	return encode(list), encode(object{"values": stateOf(all, chosen)}), nil
}

// stateOf returns the state of a message's elements, by block_id and action_id:
// the choice made, or else the initial one.
func stateOf(all []Element, chosen map[[2]string]any) map[string]object {
	values := map[string]object{}
	for _, e := range all {
		member := selections[e.Kind()]
		if member == "" || e.Kind() == "overflow" {
			continue
		}
		if values[e.Block] == nil {
			values[e.Block] = object{}
		}
		value := chosen[[2]string{e.Block, e.ActionID()}]
		if value == nil {
			value = e.initial()
		}
		values[e.Block][e.ActionID()] = object{"type": e.Kind(), member: value}
	}
	return values
}

// fill completes the action of an element. It returns NoSuchOption.
func (e Element) fill(a object) error {
	a["type"], a["block_id"] = e.Kind(), e.Block
	member := selections[e.Kind()]
	if e.Kind() == "feedback_buttons" {
		return e.fillFeedback(a)
	}
	given := a[member]
	if given == nil && member != "" && member != "value" {
		given = a["value"] // a choice may be sent as a value
	}
	for _, name := range echoed {
		if name == member {
			continue
		}
		if v, ok := e.is[name]; ok {
			a[name] = v
		} else {
			delete(a, name)
		}
	}
	if member == "" {
		return nil
	}
	if given == nil {
		a[member] = e.initial()
		return nil
	}
	value, err := e.choose(given)
	a[member] = value
	return err
}

// fillFeedback completes the action of a pair of feedback buttons; value names
// one of them.
func (e Element) fillFeedback(a object) error {
	for _, name := range []string{"positive_button", "negative_button"} {
		if b, _ := e.is[name].(object); b != nil && (a["value"] == b["value"] || a["value"] == nil) {
			a["text"], a["value"] = b["text"], b["value"]
			return nil
		}
	}
	return NoSuchOption.Detailf("Neither of the two buttons has this value.")
}

// Choice returns the action for choosing values at an element: the value of an
// option, an id, a date, a time or a text. Elements with multiple choices accept
// any number of values, all others exactly one. It returns NoSuchOption.
func (e Element) Choice(values []any) (json.RawMessage, error) {
	member := selections[e.Kind()]
	a := object{"action_id": e.ActionID(), "block_id": e.Block}
	switch {
	case e.Kind() == "feedback_buttons" && len(values) == 1:
		a["value"] = values[0]
	case member == "":
		return nil, NoSuchOption.Detailf("A %s offers no choice: click it.", e.Kind())
	case strings.HasSuffix(member, "s"):
		a[member] = values
	case len(values) == 1:
		a[member] = values[0]
	default:
		return nil, NoSuchOption.Detailf("A %s takes one value, not %d.", e.Kind(), len(values))
	}
	return encode(a), nil
}

// encode returns JSON without HTML escapes.
func encode(v any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // values decoded from JSON always encode
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
