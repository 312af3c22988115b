package console

import (
	"net/http"
	"strconv"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
)

// How many changes a reply holds, unless asked otherwise, and at most.
const (
	diffLimit = 10_000
	diffMost  = 100_000
)

type diffReply struct {
	Inserts    []diff.Change `json:"inserts"`
	Updates    []diff.Change `json:"updates"`
	Deletes    []diff.Change `json:"deletes"`
	NextCursor string        `json:"next_cursor"`
}

// diff replies with what changed between two snapshots of an environment: since
// its creation without from, until now without to.
func (c *Console) diff(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit := 0
	if text := q.Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return environment.BadValue.At("limit").Detailf("must be a number from 1 to %d", diffMost)
		}
	}
	found, err := c.d.Clones.Diff(r.Context(), r.PathValue("env"), q.Get("from"), q.Get("to"),
		diff.Options{Cursor: q.Get("cursor"), Limit: page.Limit(limit, diffLimit, diffMost)})
	if err != nil {
		return err
	}
	if err := budget.Work(r.Context(), int64(2*found.Size)); err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, diffReply{found.Inserts, found.Updates, found.Deletes, found.Next})
	return nil
}
