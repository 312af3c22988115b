package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

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
	writeChanges(w, found)
	return nil
}

// writeChanges replies with changes. It encodes one at a time, so that besides
// the reply no copy of all of them is made.
func writeChanges(w http.ResponseWriter, found *diff.Changes) {
	var b bytes.Buffer
	b.Grow(found.Size + 1024)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	encode := func(v any) {
		if err := e.Encode(v); err != nil {
			panic(err) // our own types always encode
		}
		b.Truncate(b.Len() - 1) // the line break
	}
	b.WriteByte('{')
	for _, list := range []struct {
		name    string
		changes []diff.Change
	}{{"inserts", found.Inserts}, {"updates", found.Updates}, {"deletes", found.Deletes}} {
		encode(list.name)
		b.WriteString(":[")
		for i := range list.changes {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(&list.changes[i])
		}
		b.WriteString("],")
	}
	b.WriteString(`"next_cursor":`)
	encode(found.Next)
	b.WriteByte('}')
	httpkit.WriteRaw(w, http.StatusOK, b.Bytes())
}
