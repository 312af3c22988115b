package httpkit

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"understudy/internal/platform/budget"
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

// firstRows is how many items a list reads at first. It reads twice as many each
// further time, as long as they are short.
const firstRows = 16

// Serve answers a request with the page that it asks for, which ends earlier
// where it would become longer than budget.PageBytes. It returns what Read and
// Find return, and budget.Exhausted.
func (l List[T]) Serve(p Pages, w http.ResponseWriter, r *http.Request) error {
	after, limit, err := p.Read(r, l.Kind)
	if err != nil {
		return err
	}
	found, next, err := l.page(r.Context(), after, limit)
	if err != nil {
		return err
	}
	WriteJSON(w, http.StatusOK, l.Reply(found, next))
	return nil
}

// page returns at most limit items after a position, and the cursor of what
// follows, "" at the end.
func (l List[T]) page(ctx context.Context, after string, limit int) (found []T, next string, err error) {
	room := budget.NewPage(ctx)
	for rows := firstRows; ; rows *= 2 {
		ask := min(rows, limit-len(found))
		batch, err := l.Find(after, ask+1) // one more, to see whether others follow
		if err != nil {
			return nil, "", err
		}
		for i := range batch {
			if len(found) == limit || room.Full() {
				return found, page.Encode(l.Kind, l.Position(&found[len(found)-1])), nil
			}
			shown, err := json.Marshal(l.Reply(batch[i:i+1], ""))
			if err != nil {
				return nil, "", err
			}
			if err := room.Add(len(shown)); err != nil {
				return nil, "", err
			}
			found = append(found, batch[i])
		}
		if len(batch) <= ask {
			return found, "", nil
		}
		after = l.Position(&found[len(found)-1])
	}
}
