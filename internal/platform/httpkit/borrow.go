package httpkit

import (
	"net/http"
	"sync"

	"understudy/internal/platform/budget"
)

var borrowed = sync.Pool{New: func() any { return new([]byte) }}

// Borrow returns an empty slice for a reply, to be given back with GiveBack. A
// long reply in memory of its own costs clearing and freeing it.
func Borrow() *[]byte {
	body := borrowed.Get().(*[]byte)
	*body = (*body)[:0]
	return body
}

// GiveBack ends the use of a borrowed slice. It keeps none that is longer than a
// page of a list.
func GiveBack(body *[]byte) {
	if cap(*body) <= budget.PageBytes {
		borrowed.Put(body)
	}
}

// WriteBorrowed is WriteRaw for a body that may change afterwards: the recording
// copies what it keeps.
func WriteBorrowed(w http.ResponseWriter, status int, body []byte) {
	head(w, status, len(body))
	_, _ = w.Write(body)
}
