package rest

import (
	"net/http"
	"strconv"

	"understudy/internal/platform/apidocs"
	"understudy/internal/tracker"
	"understudy/internal/tracker/entity"
)

// pages are the query parameters of every list. The cursors are those of the
// GraphQL endpoint, so that clients can use both.
var pages = []apidocs.Parameter{{Name: "limit", Type: "integer", Description: "1 to 250, which is the standard"}, {Name: "cursor", Description: "nextCursor of the page before"}}

// list returns the result of show for each entity of the requested page, and the
// cursor of the next page, "" on the last.
func list[T, R any](h *Handler, c *call, find func(v *tracker.View, q entity.Query) (*entity.Page[T], error), show func(*T) R) (found []R, next string, err error) {
	first, err := limit(c.Request)
	if err != nil {
		return nil, "", err
	}
	found = []R{}
	err = h.d.Tracker.Read(c.Context(), c.p, func(v *tracker.View) error {
		page, err := find(v, entity.Query{First: &first, After: c.URL.Query().Get("cursor")})
		if err != nil {
			return err
		}
		for _, t := range page.Nodes {
			found = append(found, show(t))
		}
		if page.HasNext {
			next = page.Cursor(page.Nodes[len(page.Nodes)-1])
		}
		return nil
	})
	return found, next, err
}

// limit returns the greatest number of items on a page.
func limit(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return entity.MaxPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > entity.MaxPage {
		return 0, tracker.BadArgument.At("limit").Detailf("limit must be a number from 1 to %d", entity.MaxPage)
	}
	return n, nil
}
