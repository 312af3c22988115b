package control_test

import (
	"net/http"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

// Signing in to one account is refused after ten failures in a minute, whatever
// the limits of calls are set to.
func TestFailedSignInsAreLimitedWhateverTheLimits(t *testing.T) {
	for _, limits := range []string{"real", "off"} {
		s := apptest.Start(t, func(o *config.Serve) { o.RateLimits = limits })
		refused := 0
		for range 25 {
			status, _ := s.Call("POST", "/messaging/api/auth/login", "", map[string]any{"email": "nobody@example.com", "password": "wrong horse"})
			if status == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused != 15 {
			t.Errorf("with limits %s %d of 25 failures were refused, want 15", limits, refused)
		}
	}
}
