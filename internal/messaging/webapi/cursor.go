package webapi

import (
	"encoding/base64"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/page"
)

// encodeCursor returns a cursor with the position where the next page begins, so
// that inserted or deleted rows do not shift it.
func encodeCursor(kind, position string) string { return page.Encode(kind, position) }

// cursor reads the argument cursor; "" when absent. It returns InvalidCursor.
func (c *call) cursor(kinds ...string) (string, error) {
	text, _ := c.args.String("cursor")
	if text == "" {
		return "", nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", messaging.InvalidCursor
	}
	kind, position, ok := strings.Cut(string(raw), ":")
	if ok && position != "" && len(position) < 40 {
		for _, k := range kinds {
			if k == kind {
				return position, nil
			}
		}
	}
	return "", messaging.InvalidCursor
}

// cursorTS reads a cursor next_ts:<digits of a ts without the dot>.
func (c *call) cursorTS() (messaging.TS, error) {
	position, err := c.cursor("next_ts")
	if err != nil || position == "" {
		return 0, err
	}
	if len(position) <= 6 {
		return 0, messaging.InvalidCursor
	}
	ts, ok := messaging.ParseTS(position[:len(position)-6] + "." + position[len(position)-6:])
	if !ok {
		return 0, messaging.InvalidCursor
	}
	return ts, nil
}

func cursorOf(ts messaging.TS) string {
	return encodeCursor("next_ts", strings.Replace(ts.String(), ".", "", 1))
}

// pageSize reads the argument limit. 0 and absent mean standard. If strict, it
// returns an error for a value above most, a negative one or one that is not a
// number; otherwise the first means most and the others standard.
func (c *call) pageSize(standard, most int, strict bool) (int, error) {
	n, present, bad := c.args.Int("limit")
	switch {
	case bad == nil && !present, bad == nil && n == 0:
		return standard, nil
	case bad != nil || n < 0:
		if strict {
			return 0, invalidLimit
		}
		return standard, nil
	case n > int64(most):
		if strict {
			return 0, invalidLimit
		}
		return most, nil
	}
	return int(n), nil
}
