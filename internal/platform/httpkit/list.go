package httpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/page"
)

// Pages is how a control plane paginates its lists, with the query parameters
// limit and cursor.
type Pages struct {
	Standard int   // the default limit
	Most     int   // the largest limit; larger ones are reduced to it
	BadLimit error // the error for an invalid limit
}

// Read reads the limit and cursor of a request; after is the position of the last
// item that the client has, or "". It returns BadLimit, and page.BadCursor for an
// invalid cursor.
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

// List is one list of a control plane: {"<plural>": [items], "next_cursor": "..."}.
type List[T any] struct {
	Kind     string                                               // of its cursors
	Plural   string                                               // the member that contains the items
	Find     func(after string, limit int) (found []T, err error) // the items after a position, in order
	Position func(item *T) string
	// Show returns the reply's form of an item. A method AppendJSON(dst []byte)
	// []byte of the form encodes it without reflection.
	Show func(item *T) any
	// First is how many items to read first, if items are known to be short; at
	// least firstRows.
	First int
}

// firstRows is how many items a list reads first. It doubles the number each
// time, as long as they are short.
const firstRows = 16

// Serve replies to a request with a page, which ends early if it would exceed
// budget.PageBytes. It returns the errors of Read and Find, and budget.Exhausted.
func (l List[T]) Serve(p Pages, w http.ResponseWriter, r *http.Request) error {
	after, limit, err := p.Read(r, l.Kind)
	if err != nil {
		return err
	}
	buf, giveBack := buffer()
	defer giveBack()
	if err := l.write(r.Context(), buf, after, limit); err != nil {
		return err
	}
	head(w, http.StatusOK, buf.Len())
	_, _ = w.Write(buf.Bytes())
	return nil
}

// write writes the reply with at most limit items after a position, and the
// cursor of the next page, "" at the end.
func (l List[T]) write(ctx context.Context, buf *bytes.Buffer, after string, limit int) error {
	buf.WriteString(`{"` + l.Plural + `":[`)
	next, err := l.writeItems(ctx, buf, after, limit)
	if err == nil {
		buf.WriteString(`],"next_cursor":"` + next + "\"}\n")
	}
	return err
}

// writeItem encodes one item; e writes to buf.
func writeItem(buf *bytes.Buffer, e *json.Encoder, shown any) error {
	if x, ok := shown.(appender); ok {
		buf.Write(x.AppendJSON(buf.AvailableBuffer()))
		return nil
	}
	err := e.Encode(shown)
	if err == nil {
		buf.Truncate(buf.Len() - len("\n"))
	}
	return err
}

// appender is a type that encodes itself.
type appender interface{ AppendJSON(dst []byte) []byte }

// writeItems encodes the items, and returns the cursor of the next page.
func (l List[T]) writeItems(ctx context.Context, buf *bytes.Buffer, after string, limit int) (next string, err error) {
	room, written := budget.NewPage(ctx), 0
	e := newEncoder(buf)
	for rows := max(l.First, firstRows); ; rows *= 2 {
		ask := min(rows, limit-written)
		batch, err := l.Find(after, ask+1) // one more, to detect a further page
		if err != nil {
			return "", err
		}
		for i := range batch {
			if written == limit || room.Full() {
				return page.Encode(l.Kind, after), nil
			}
			if written > 0 {
				buf.WriteByte(',')
			}
			begin := buf.Len()
			if err := writeItem(buf, e, l.Show(&batch[i])); err != nil {
				return "", err
			}
			if err := room.Add(buf.Len() - begin); err != nil {
				return "", err
			}
			if written++; i == 0 { // the others are about as long
				buf.Grow(min((buf.Len()-begin+1)*len(batch)*9/8, keptBuffer))
			}
			if written == limit || room.Full() || i == len(batch)-1 {
				after = l.Position(&batch[i])
			}
		}
		if len(batch) <= ask {
			return "", nil
		}
	}
}
