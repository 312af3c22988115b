package console_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

// A list shows environments that are closed as they were when they were closed.
func TestAListKnowsClosedEnvironments(t *testing.T) {
	dir := t.TempDir()
	list := func(t *testing.T, prepare func(p apptest.Plane)) (out string) {
		s := apptest.Start(t, func(o *config.Serve) { o.Data = dir })
		p := apptest.PlaneOf(t, s)
		prepare(p)
		for _, one := range p.Call("GET", "", nil, 200)["environments"].([]any) {
			if apptest.Get(one, "name") == "closed" {
				out = fmt.Sprint(apptest.Get(one, "counts"), apptest.Get(one, "clock"), apptest.Get(one, "size_bytes").(float64) > 0)
			}
		}
		return out
	}
	var before, after string
	t.Run("open", func(t *testing.T) {
		before = list(t, func(p apptest.Plane) {
			doc := map[string]any{"crm": map[string]any{"companies": map[string]any{"a": map[string]any{}, "b": map[string]any{}}}}
			p.Call("POST", "", map[string]any{"name": "closed", "clock": "2026-03-01T12:00:00Z", "document": doc}, 201)
		})
	})
	t.Run("closed", func(t *testing.T) { after = list(t, func(apptest.Plane) {}) })
	if before != after || !strings.Contains(before, "companies:2") {
		t.Errorf("open: %s\nclosed: %s", before, after)
	}
}
