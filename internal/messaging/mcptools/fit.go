package mcptools

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"unicode/utf8"

	"understudy/internal/platform/mcpkit"
)

// page calls a method that lists, and asks for fewer items until the reply is
// of a size that a model can read: the cursor then goes on where it ended.
func (c *Client) page(ctx context.Context, method string, args url.Values, items string, limit int) (json.RawMessage, error) {
	for {
		args.Set("limit", strconv.Itoa(limit))
		r, err := c.call(ctx, method, args)
		if err != nil {
			return nil, err
		}
		if len(r.raw) <= mcpkit.MaxResult || limit == 1 {
			return cut(r.raw)
		}
		var whole map[string]json.RawMessage
		var list []json.RawMessage
		if err := json.Unmarshal(r.raw, &whole); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(whole[items], &list); err != nil {
			return nil, err
		}
		limit = max(1, min(limit-1, fitting(list)))
	}
}

// fitting counts the first items that fit into one result.
func fitting(list []json.RawMessage) int {
	size := 1000 // the envelope
	for i, item := range list {
		if size += len(item) + 1; size > mcpkit.MaxResult {
			return i
		}
	}
	return len(list)
}

// cut shortens a reply that is too large although it holds one item alone: what
// repeats the text goes first, then the ends of long texts.
func cut(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) <= mcpkit.MaxResult {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	for longest := 20_000; ; longest /= 4 {
		shorten(v, longest)
		out, err := mcpkit.Encode(v)
		if err != nil || len(out) <= mcpkit.MaxResult || longest < 100 {
			return out, err
		}
	}
}

// shorten drops blocks and attachments and cuts texts of more than longest bytes.
func shorten(v any, longest int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			shorten(item, longest)
		}
	case map[string]any:
		for key, item := range v {
			switch s, isText := item.(string); {
			case key == "blocks" || key == "attachments":
				delete(v, key)
				v["truncated"] = true
			case isText && len(s) > longest:
				for longest > 0 && !utf8.RuneStart(s[longest]) {
					longest--
				}
				v[key], v["truncated"] = s[:longest]+"…", true
			default:
				shorten(item, longest)
			}
		}
	}
}
