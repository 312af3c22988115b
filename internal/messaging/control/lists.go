package control

import (
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/page"
)

// The sizes of a page of a list.
const (
	standardPage = 100
	maxPage      = 1000
)

var badLimit = fault.New(fault.Invalid, "invalid_limit", "The limit must be a whole number from 1 on.").At("limit")

// listing reads the query of a list whose cursors are of a kind.
func listing(r *http.Request, kind string) (after messaging.Place, limit int, err error) {
	q := r.URL.Query()
	limit = standardPage
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return after, 0, badLimit
		}
	}
	position, err := page.Decode(kind, q.Get("cursor"))
	if err != nil || position == "" {
		return after, page.Limit(limit, standardPage, maxPage), err
	}
	created, id, ok := strings.Cut(position, "/")
	after.ID = id
	if after.Created, err = strconv.ParseInt(created, 10, 64); err != nil || !ok || !idForm.MatchString(id) {
		return after, 0, page.BadCursor.At("cursor")
	}
	return after, page.Limit(limit, standardPage, maxPage), nil
}

func cursor(kind string, at messaging.Place) string {
	return page.Encode(kind, strconv.FormatInt(at.Created, 10)+"/"+at.ID)
}
