package mcptools

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"understudy/internal/platform/mcpkit"
)

// page calls a list method, with smaller limits until the reply is short enough
// for a model. The reply's cursor continues where the page ended.
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
		limit = max(1, min(limit-1, mcpkit.Fitting(list)))
	}
}

// cut shortens a reply with a single item that is still too long: it drops what
// repeats the text first, and then truncates long texts.
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
	textAlone(v)
	return mcpkit.Shortened(v)
}

// textAlone drops blocks and attachments.
func textAlone(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			textAlone(item)
		}
	case map[string]any:
		for key, item := range v {
			if key == "blocks" || key == "attachments" {
				delete(v, key)
				v["truncated"] = true
				continue
			}
			textAlone(item)
		}
	}
}
