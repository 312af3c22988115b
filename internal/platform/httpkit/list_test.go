package httpkit

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/fault"
)

// A page ends where its items fill a reply, the next one goes on there, and
// little more than a page is read at once.
func TestAListEndsItsPageByBytes(t *testing.T) {
	for _, x := range []struct{ rows, size, limit, pages int }{
		{100, 1 << 20, 200, 7}, {100, 1 << 20, 10, 10}, {3, 100, 200, 1}, {1000, 100, 1000, 1}, {1000, 100, 999, 2},
		{0, 0, 10, 1}, {16, 10, 16, 1}, {17, 10, 17, 1}, {17, 10, 16, 2}, {2, 16 << 20, 5, 2},
	} {
		t.Run(fmt.Sprint(x), func(t *testing.T) {
			body := strings.Repeat("x", x.size)
			read := 0
			list := List[int]{Kind: "row", Position: func(n *int) string { return strconv.Itoa(*n) },
				Find: func(after string, limit int) (found []int, err error) {
					n, _ := strconv.Atoi(after)
					for n++; n <= x.rows && len(found) < limit; n++ {
						found = append(found, n)
					}
					read += len(found)
					return found, nil
				},
				Plural: "rows", Show: func(n *int) any { return fmt.Sprintf("%d %s", *n, body) }}
			var all []string
			pages := 0
			for cursor := ""; pages == 0 || cursor != ""; pages++ {
				read = 0
				w, r := httptest.NewRecorder(), httptest.NewRequest("GET", fmt.Sprintf("/?limit=%d&cursor=%s", x.limit, url.QueryEscape(cursor)), nil)
				if err := list.Serve(Pages{Standard: 10, Most: 1000, BadLimit: fault.New(fault.Invalid, "bad", "")}, w, r); err != nil {
					t.Fatal(err)
				}
				var out struct {
					Rows []string `json:"rows"`
					Next string   `json:"next_cursor"`
				}
				if w.Body.Len() > budget.MaxReply || json.Unmarshal(w.Body.Bytes(), &out) != nil || len(out.Rows) > x.limit {
					t.Fatalf("%d rows of %d bytes", len(out.Rows), w.Body.Len())
				}
				if x.size == 1<<20 && read > 64 {
					t.Errorf("%d rows were read for a page of %d", read, len(out.Rows))
				}
				all, cursor = append(all, out.Rows...), out.Next
			}
			if pages != x.pages || len(all) != x.rows {
				t.Errorf("%d rows on %d pages", len(all), pages)
			}
			for i, row := range all {
				if !strings.HasPrefix(row, strconv.Itoa(i+1)+" ") {
					t.Fatalf("row %d is %.20s", i, row)
				}
			}
		})
	}
}
