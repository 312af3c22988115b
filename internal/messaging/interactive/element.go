// Package interactive finds the interactive elements of a message and completes
// the actions of a person on them: a click or a choice. It works only on the JSON
// of messages and does not check permissions.
package interactive

import (
	"encoding/json"
	"slices"
	"strings"
)

type object = map[string]any

// Element is an interactive element of a message.
type Element struct {
	Block string // the block_id of its block
	is    object
}

// ActionID returns the action_id.
func (e Element) ActionID() string { s, _ := e.is["action_id"].(string); return s }

// Kind returns the type, such as "button" or "static_select".
func (e Element) Kind() string { s, _ := e.is["type"].(string); return s }

// IsButton reports whether the element is a button; at all others a value is
// chosen or typed.
func (e Element) IsButton() bool { return selections[e.Kind()] == "" }

// Elements returns the interactive elements of a message in order: those of its
// blocks, then those of its attachments.
func Elements(message []byte) (out []Element) {
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
				out = append(out, Element{block, v})
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

// Find returns the first element with an action_id, in a block or, with "", in
// any. It returns NoSuchElement with the existing action_ids.
func Find(all []Element, action, block string) (Element, error) {
	i := slices.IndexFunc(all, func(e Element) bool { return e.ActionID() == action && (block == "" || e.Block == block) })
	if i >= 0 {
		return all[i], nil
	}
	ids := ActionIDs{}
	for _, e := range all {
		if !slices.Contains(ids, e.ActionID()) {
			ids = append(ids, e.ActionID())
		}
	}
	if len(ids) == 0 {
		return Element{}, NoSuchElement.Detailf("The message has no interactive element.").With(ids)
	}
	return Element{}, NoSuchElement.Detailf("The message has no element with this action_id and block_id; there are %s.", strings.Join(ids, ", ")).With(ids)
}
