package webapi

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/messaging/webapi/args"
)

func callWith(t testing.TB, cursor string) *call {
	t.Helper()
	r := httptest.NewRequest("GET", "/api/x.y?cursor="+url.QueryEscape(cursor), nil)
	a, refused := args.Read(r, nil)
	if refused != nil {
		t.Fatal(refused)
	}
	return &call{args: a}
}

func TestACursorComesBackAsItWentOut(t *testing.T) {
	for _, ts := range []messaging.TS{1, 1512085950000216, 1893456000000000} {
		got, err := callWith(t, cursorOf(ts)).cursorTS()
		if want := max(ts, 1); err != nil || got != want {
			t.Errorf("%d came back as %d: %v", ts, got, err)
		}
	}
	if got, err := callWith(t, encodeCursor("user", "U0ABCDEFGHI")).cursor("user"); err != nil || got != "U0ABCDEFGHI" {
		t.Errorf("a user came back as %q: %v", got, err)
	}
	for _, bad := range []string{"x", "bmV4dF90czo=", "bmV4dF90czphYmM=", encodeCursor("user", "U1"), encodeCursor("next_ts", "-1234567")} {
		if _, err := callWith(t, bad).cursorTS(); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if ts, err := callWith(t, "").cursorTS(); err != nil || ts != 0 {
		t.Errorf("no cursor returns %d: %v", ts, err)
	}
}

func FuzzCursor(f *testing.F) {
	for _, s := range []string{"", "*", cursorOf(1512085950000216), encodeCursor("next_ts", "1"), encodeCursor("team", "C1"), "====", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := httptest.NewRequest("GET", "/api/x.y?cursor="+url.QueryEscape(s), nil)
		a, refused := args.Read(r, nil)
		if refused != nil {
			return
		}
		c := &call{args: a}
		if ts, err := c.cursorTS(); err == nil && ts < 0 {
			t.Fatalf("%q returns %d", s, ts)
		}
		if position, err := c.cursor("team", "user"); err == nil && len(position) >= 40 {
			t.Fatalf("%q returns a position of %d bytes", s, len(position))
		}
	})
}
