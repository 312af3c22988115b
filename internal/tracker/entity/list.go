package entity

import (
	"encoding/base64"
	"strconv"
	"strings"
	"understudy/internal/platform/ids"
)

// The bounds of a page.
const (
	StandardPage = 50
	MaxPage      = 250
)

// maxSorts is the greatest number of keys in an order.
const maxSorts = 20

// Query selects the rows of a list, and their order.
type Query struct {
	First, Last     *int
	After, Before   string
	OrderBy         string     // "createdAt" (the default) or "updatedAt"; newest first
	Sort            []Ordering // instead of OrderBy
	IncludeArchived bool
	Filter          Filter
	Disabled        bool // also rows for which Kind.Enabled is false

	// Cond is a further condition on t, with its arguments. It may depend on more
	// than the tenant's version, so such lists are not cached.
	Cond     string
	CondArgs []any
}

// Ordering is one key of an order.
type Ordering struct {
	Key        string
	Descending bool
	NullsFirst bool
	Tiebreak   bool // rows with the same value in the order of SortKey.Tiebreak
}

// Page is a part of a list.
type Page[T any] struct {
	Nodes                []*T
	HasNext, HasPrevious bool
	order                string // "created", "updated", or "" for a sorted list
	base                 func(*T) *Base
}

// Cursor returns the cursor of a node of the page.
func (p *Page[T]) Cursor(t *T) string {
	b := p.base(t)
	at := ""
	switch p.order {
	case "created":
		at = "c" + strconv.FormatInt(b.Created, 36)
	case "updated":
		at = "u" + strconv.FormatInt(b.Updated, 36)
	}
	return EncodeCursor(at, b.ID)
}

// EncodeCursor returns the cursor of the node with an id at a place of its list,
// which contains no colon.
func EncodeCursor(place, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(place + ":" + id))
}

// DecodeCursor reads a cursor, or the id of a node. place is empty when only the
// id is known. It returns BadArgument for any other text.
func DecodeCursor(field, text string) (place, id string, err error) {
	if ids.IsUUID(text) {
		return "", strings.ToLower(text), nil
	}
	raw, e := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	place, id, ok := strings.Cut(string(raw), ":")
	if e != nil || !ok || !ids.IsUUID(id) {
		return "", "", badArgument(field, "%s is not a cursor of this server.", field)
	}
	return place, id, nil
}

// window is the paging of a Query: a direction, a size, and a cursor on either side.
type window struct {
	size          int
	backward      bool
	after, before string
}

// Paging returns the number of rows that the query asks for, the direction, and
// its cursors. It returns BadArgument for a page size.
func (l *Query) Paging() (size int, backward bool, after, before string, err error) {
	w, err := l.window()
	return w.size, w.backward, w.after, w.before, err
}

// window chooses between the paging arguments. The official client sends first
// and last together when it continues in a direction, so the cursor decides.
func (l *Query) window() (w window, err error) {
	for _, a := range []struct {
		name string
		n    *int
	}{{"first", l.First}, {"last", l.Last}} {
		if a.n == nil {
			continue
		}
		if *a.n < 1 {
			return w, badArgument(a.name, "%s must not be less than 1", a.name)
		}
		if *a.n > MaxPage {
			return w, badArgument(a.name, "%s must not be greater than %d", a.name, MaxPage)
		}
	}
	w = window{size: StandardPage, after: l.After, before: l.Before}
	switch {
	case l.After != "" && l.First != nil:
		w.size = *l.First
	case l.After != "":
	case l.Before != "":
		w.backward = true
		if l.Last != nil {
			w.size = *l.Last
		}
	case l.First != nil:
		w.size = *l.First
	case l.Last != nil:
		w.size, w.backward = *l.Last, true
	}
	return w, nil
}
