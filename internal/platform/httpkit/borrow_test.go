package httpkit

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/record"
)

// What is recorded of a borrowed body does not change with the body.
func TestBorrowedBodiesAreCopied(t *testing.T) {
	for _, n := range []int{100, record.MaxBody, 2 * record.MaxBody} {
		rec := record.New(clock.System())
		body := Borrow()
		*body = append(*body, make([]byte, n)...)
		tap := record.NewTap(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		WriteBorrowed(tap, http.StatusOK, *body)
		GiveBack(body)
		(*body)[0] = 'x'
		rec.Add(tap, record.Request{})
		if got := rec.All()[0].Reply; len(got) != min(n, record.MaxBody) || got[0] != 0 {
			t.Errorf("of %d bytes %d are recorded, the first is %q", n, len(got), got[0])
		}
	}
}
