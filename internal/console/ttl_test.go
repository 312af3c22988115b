package console_test

import (
	"testing"
	"time"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/clock"
)

// An environment with a time to live is removed when that is over, whatever its
// own clock shows; the time can be changed and cancelled.
func TestATimeToLive(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		for _, seconds := range []any{0, -1, 1e12, "soon"} {
			p.Call("POST", "", map[string]any{"ttl_seconds": seconds}, 400)
		}
		lasting := p.Call("POST", "", map[string]any{"ttl_seconds": 1, "clock": "2026-01-01T00:00:00Z"}, 201)["id"].(string)
		if one := p.Call("PATCH", "/"+lasting, map[string]any{"ttl_seconds": nil}, 200)["environment"]; one.(map[string]any)["expires_at"] != nil {
			t.Errorf("it expires at %v", one.(map[string]any)["expires_at"])
		}
		var due []string
		for _, seconds := range []float64{1e-12, 0.5, 1} { // the shortest is no eternity
			due = append(due, p.Call("POST", "", map[string]any{"ttl_seconds": seconds, "clock": "2026-01-01T00:00:00Z"}, 201)["id"].(string))
		}
		fork := p.Call("POST", "/"+lasting+"/fork", nil, 201)["id"].(string)
		p.Call("PATCH", "/"+fork, map[string]any{"ttl_seconds": 0.1}, 200)
		for _, id := range append(due, fork) {
			for began := clock.Real(); ; time.Sleep(50 * time.Millisecond) {
				if status, _ := p.Server.Call("GET", "/admin/v1/environments/"+id, p.Key, nil); status == 404 {
					break
				}
				if clock.Real().Sub(began) > 10*time.Second {
					t.Fatalf("%s is there still", id)
				}
			}
		}
		p.Call("GET", "/"+lasting, nil, 200)
		// The default environment cannot be deleted, so it cannot expire either.
		refused := p.Call("PATCH", "/default", map[string]any{"ttl_seconds": 3600}, 409)
		if apptest.Get(refused, "error", "code") != "default_environment" {
			t.Errorf("a time to live of the default environment: %v", refused)
		}
		p.Call("PATCH", "/default", map[string]any{"ttl_seconds": nil}, 200)
	})
}
