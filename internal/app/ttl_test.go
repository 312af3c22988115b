package app_test

import (
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// An environment with a time to live goes when it is over, whatever its own
// clock says; the time can be changed and taken back.
func TestATimeToLive(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		for _, seconds := range []any{0, -1, 1e12, "soon"} {
			p.call("POST", "", object{"ttl_seconds": seconds}, 400)
		}
		lasting := p.call("POST", "", object{"ttl_seconds": 1, "clock": "2026-01-01T00:00:00Z"}, 201)["id"].(string)
		if one := p.call("PATCH", "/"+lasting, object{"ttl_seconds": nil}, 200)["environment"]; at(one, "expires_at") != nil {
			t.Errorf("it expires at %v", at(one, "expires_at"))
		}
		var due []string
		for _, seconds := range []float64{1e-12, 0.5, 1} { // the shortest is no eternity
			due = append(due, p.call("POST", "", object{"ttl_seconds": seconds, "clock": "2026-01-01T00:00:00Z"}, 201)["id"].(string))
		}
		fork := p.call("POST", "/"+lasting+"/fork", nil, 201)["id"].(string)
		p.call("PATCH", "/"+fork, object{"ttl_seconds": 0.1}, 200)
		for _, id := range append(due, fork) {
			for began := clock.Real(); ; time.Sleep(50 * time.Millisecond) {
				if status, _ := p.s.Call("GET", "/admin/v1/environments/"+id, p.key, nil); status == 404 {
					break
				}
				if clock.Real().Sub(began) > 10*time.Second {
					t.Fatalf("%s is there still", id)
				}
			}
		}
		p.call("GET", "/"+lasting, nil, 200)
	})
}
