package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
)

// The default and the largest number of changes in a reply.
const (
	diffLimit = 10_000
	diffMost  = 100_000
)

// summaryReply is the numbers of changes in a diff.
type summaryReply struct {
	Summary []diff.Count `json:"summary"`
}

// diff replies with the changes between two snapshots of an environment. Without
// from it starts at the creation; without to it ends now.
func (c *Console) diff(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	o := diff.Options{Cursor: q.Get("cursor"), Service: q.Get("service"), Entity: q.Get("entity"), Key: q.Get("key")}
	var err error
	if err = checkService(c, o.Service); err != nil {
		return err
	}
	if err = checkEntity(c, o.Entity); err != nil {
		return err
	}
	if o.Cause, err = truth(r, "cause", true); err != nil {
		return err
	}
	switch q.Get("fields") {
	case "", "changed":
	case "all":
		o.Whole = true
	default:
		return environment.BadValue.At("fields").Detailf("must be changed or all")
	}
	if summary, err := truth(r, "summary", false); err != nil {
		return err
	} else if summary {
		return diffSummary(c, w, r, o)
	}
	limit := 0
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
			return environment.BadValue.At("limit").Detailf("must be a number from 1 to %d", diffMost)
		}
	}
	o.Limit = page.Limit(limit, diffLimit, diffMost)
	found, err := c.d.Clones.Diff(r.Context(), r.PathValue("env"), q.Get("from"), q.Get("to"), o)
	if err != nil {
		return err
	}
	return c.inside(func(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
		writeChanges(w, found, namesIn(r.Context(), env))
		return nil
	})(w, r)
}

// diffSummary replies with the numbers of changes by entity.
func diffSummary(c *Console, w http.ResponseWriter, r *http.Request, o diff.Options) error {
	q := r.URL.Query()
	var out summaryReply
	err := c.d.Environments.Work(r.Context(), r.PathValue("env"), func(ctx context.Context, env *environment.Environment) error {
		return c.d.Clones.Read(ctx, env, q.Get("from"), q.Get("to"), false, func(reading *diff.Reading) (err error) {
			out.Summary, err = reading.Summary(o)
			return err
		})
	})
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

// causedChange is a change with its writers.
type causedChange struct {
	*diff.Change
	Cause []writerReply `json:"cause"`
	Exact bool          `json:"exact"`
}

// writeChanges replies with changes. It encodes them one at a time, so that there
// is no second copy of all of them.
func writeChanges(w http.ResponseWriter, found *diff.Changes, people *names) {
	var b bytes.Buffer
	b.Grow(found.Size + 1024)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	encode := func(v any) {
		if err := e.Encode(v); err != nil {
			panic(err) // the types of this program always encode
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
			if one := &list.changes[i]; one.Cause != nil {
				encode(causedChange{one, people.writers(one.Cause), one.Cause.Exact})
			} else {
				encode(one)
			}
		}
		b.WriteString("],")
	}
	b.WriteString(`"next_cursor":`)
	encode(found.Next)
	b.WriteByte('}')
	httpkit.WriteRaw(w, http.StatusOK, b.Bytes())
}
