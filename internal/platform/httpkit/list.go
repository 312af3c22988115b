package httpkit

import (
	"net/http"
	"strconv"

	"understudy/internal/platform/page"
)

// Pages is how a control plane answers its lists: in pages, for the query
// parameters limit and cursor.
type Pages struct {
	Standard int   // the items of a page when the request names no limit
	Most     int   // a larger limit counts as this one
	BadLimit error // the plane's refusal of a limit that is no positive number
}

// Read reads limit and cursor of a request; after is the position of the last
// item that the client has, or "". It returns BadLimit, and page.BadCursor for
// what is no cursor of that kind.
func (p Pages) Read(r *http.Request, kind string) (after string, limit int, err error) {
	q := r.URL.Query()
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return "", 0, p.BadLimit
		}
	}
	after, err = page.Decode(kind, q.Get("cursor"))
	return after, page.Limit(limit, p.Standard, p.Most), err
}

// List is one list of a control plane.
type List[T any] struct {
	Kind     string                                               // of its cursors
	Find     func(after string, limit int) (found []T, err error) // the items after a position, in order
	Position func(item *T) string
	Reply    func(found []T, next string) any // {"<plural noun>": found, "next_cursor": next}
}

// Serve answers a request with the page that it asks for. It returns what Read
// and Find return.
func (l List[T]) Serve(p Pages, w http.ResponseWriter, r *http.Request) error {
	after, limit, err := p.Read(r, l.Kind)
	if err != nil {
		return err
	}
	found, err := l.Find(after, limit+1) // one more, which tells whether another page follows
	if err != nil {
		return err
	}
	found, next := page.Cut(found, limit, l.Kind, l.Position)
	WriteJSON(w, http.StatusOK, l.Reply(found, next))
	return nil
}
