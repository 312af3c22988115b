package postgres

import (
	"fmt"
	"strings"
	"testing"
)

// The number of prepared statements is bounded, in however many forms callers
// send them.
func TestReboundTextsAreBounded(t *testing.T) {
	for i := range 100_000 {
		if got := rebind(fmt.Sprintf("SELECT '?' FROM t%d WHERE a = ? AND b IN (?,?)", i)); got != fmt.Sprintf("SELECT '?' FROM t%d WHERE a = $1 AND b IN ($2,$3)", i) {
			t.Fatal(got)
		}
	}
	long := "SELECT ?" + strings.Repeat(" ", 5<<20)
	if got := rebind(long); !strings.HasPrefix(got, "SELECT $1 ") {
		t.Errorf("%.20s", got)
	}
	if n, bytes := rebound.Len(); bytes > reboundBytes || n == 0 {
		t.Errorf("%d texts of %d bytes", n, bytes)
	}
	for range 2 { // made, and kept
		if got := rebind("SELECT ? + ?"); got != "SELECT $1 + $2" {
			t.Error(got)
		}
	}
}
