package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// An execution that builds more than it may stops where that shows, and says how far it came.
func TestExecutionsStopAtTheirBounds(t *testing.T) {
	const types = `{ __schema { types { name fields { name args { name } } } } }`
	for name, o := range map[string]Options{"bytes": {MaxReply: 1000}, "objects": {MaxObjects: 100}} {
		out := newLibrary(t, o).Execute(context.Background(), Request{Query: types}, &library{})
		var large *ReplyTooLarge
		if len(out.Errors) != 1 || !errors.As(out.Errors[0], &large) || len(out.JSON) > 500 || !strings.HasPrefix(string(out.JSON), `{"data":null,`) {
			t.Errorf("%s: %.500s", name, out.JSON)
		}
	}
	refusal := errors.New("no memory")
	reserved := 0
	o := Options{MaxObjects: 1 << 20, Reserve: func(_ context.Context, n int) error {
		if reserved += n; reserved > 2<<20 {
			return refusal
		}
		return nil
	}}
	long := "{" + strings.Repeat("x", 20_000) + ": " + strings.Repeat("__schema { ", 1) + strings.Repeat("y", 20_000) + ": types { " + strings.Repeat("z", 50_000) + ": name } } }"
	if out := newLibrary(t, o).Execute(context.Background(), Request{Query: long}, &library{}); len(out.Errors) != 1 || !errors.Is(out.Errors[0], refusal) {
		t.Errorf("%.500s", out.JSON)
	}
}
