package console_test

import (
	"sync"
	"testing"

	"understudy/internal/app/apptest"
)

// Routes of the admin plane read and change an environment while it is reset
// again and again: no request fails in any order.
func TestTheAdminPlaneDuringResets(t *testing.T) {
	apptest.OnPlanes(t, administerDuringResets)
}

func administerDuringResets(t *testing.T, p apptest.Plane) {
	made := p.Call("POST", "", map[string]any{"rate_limits": "off"}, 201)
	id := "/" + made["id"].(string)
	asks := []struct {
		method, path string
		body         any
	}{
		{"GET", id, nil}, {"GET", id + "/requests", nil}, {"GET", id + "/deliveries", nil}, {"GET", id + "/diff", nil}, {"GET", id + "/snapshots", nil},
		{"POST", id + "/clock", map[string]any{"advance": "1s"}}, {"PATCH", id, map[string]any{"name": "n"}}, {"POST", id + "/fork", map[string]any{}},
		{"POST", id + "/seed", map[string]any{"crm": map[string]any{"companies": map[string]any{"a": map[string]any{}}}}}, {"POST", id + "/reset", nil},
	}
	var wg sync.WaitGroup
	for _, ask := range asks {
		wg.Go(func() {
			for range 10 {
				if status, reply := p.Server.Call(ask.method, "/admin/v1/environments"+ask.path, p.Key, ask.body); status >= 500 {
					t.Errorf("%s %s answers %d %v", ask.method, ask.path, status, reply)
				}
			}
		})
	}
	wg.Wait()
}
