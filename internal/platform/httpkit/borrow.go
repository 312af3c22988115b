package httpkit

import (
	"net/http"
	"sync"

	"understudy/internal/platform/budget"
)

var borrowed = sync.Pool{New: func() any { return new([]byte) }}

// Borrow returns an empty slice for a reply. The caller returns it with GiveBack.
// Allocating memory for each long reply costs clearing and collecting it.
func Borrow() *[]byte {
	body := borrowed.Get().(*[]byte)
	*body = (*body)[:0]
	return body
}

// GiveBack ends the use of a borrowed slice. One that has grown beyond
// budget.PageBytes is not used again.
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
