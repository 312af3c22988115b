package app_test

import (
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

// A channel has one rate limit, by whatever name it is called; names that are
// no channel share one.
func TestNamesOfAChannelShareAnAllowance(t *testing.T) {
	s := apptest.Start(t, func(o *config.Serve) { o.RateLimits = "real" })
	token := s.Credential("messaging", "user_token")
	post := func(channel string) (status int, id string) {
		status, reply := s.Call("POST", "/messaging/api/chat.postMessage", token, map[string]any{"channel": channel, "text": "x"})
		id, _ = reply["channel"].(string)
		return status, id
	}
	_, id := post("general")
	if id == "" {
		t.Fatal("nothing was posted")
	}
	for _, names := range [][]string{{"general", "#general", id}, {"nothing", "#nowhere", "no channel"}} {
		passed := 0
		for i := range 45 {
			if status, _ := post(names[i%3]); status == 200 {
				passed++
			}
		}
		if passed > 30 {
			t.Errorf("%d of 45 posts to %q passed", passed, names)
		}
	}
}
