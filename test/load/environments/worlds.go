package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"understudy/test/load/wire"
)

const (
	worldCallers = 32
	worldRounds  = 5
	worldTime    = 2 * time.Second
)

// measureWorlds compares requests to many worlds in turn with the same requests
// to one of them, round by round.
func (r *report) measureWorlds(c *client) error {
	unlimited := map[string]any{"rate_limits": "off"}
	before := r.memory()
	all, _, err := c.make(r.settings.worlds, unlimited)
	if err != nil {
		return err
	}
	one, err := c.create(unlimited)
	if err != nil {
		return err
	}
	auth := func(m made, _ int) []byte { return slackCall(m, "auth.test", "") }
	post := func(m made, n int) []byte {
		return slackCall(m, "chat.postMessage", fmt.Sprintf("channel=general&text=message+%d", n))
	}
	target, err := url.Parse(one.Messaging.BaseURL)
	if err != nil {
		return err
	}
	load := func(request func(made, int) []byte, worlds []made, callers int, limit int64, d time.Duration) (wire.Result, error) {
		return wire.Load{Addr: target.Host, Connections: callers, Limit: limit, Duration: d,
			Next: func(worker, n int) []byte {
				i := n*callers + worker
				return request(worlds[i%len(worlds)], i)
			},
			Good: func(status int, body []byte) bool {
				return status == 200 && bytes.HasPrefix(body, []byte(`{"ok":true`))
			}}.Run()
	}
	first, err := load(post, all, 1, int64(len(all)), time.Minute)
	if err != nil {
		return err
	}
	r.line(fmt.Sprintf("first post to each of %d worlds, one caller (goal: p50 at most 3 ms)", len(all)),
		fmt.Sprintf("p50 %s, p99 %s", show(first.P50), show(first.P99)))
	kinds := []struct {
		name    string
		request func(made, int) []byte
		goal    string
	}{{"auth.test", auth, "at least 0.7"}, {"chat.postMessage", post, "at least 0.15"}}
	results := make([][2][]wire.Result, len(kinds))
	for range worldRounds {
		for k, kind := range kinds {
			for side, worlds := range [][]made{{one}, all} {
				result, err := load(kind.request, worlds, worldCallers, 0, worldTime)
				if err != nil {
					return err
				}
				results[k][side] = append(results[k][side], result)
			}
		}
	}
	for k, kind := range kinds {
		single, many := wire.Median(results[k][0]), wire.Median(results[k][1])
		r.line(fmt.Sprintf("`%s` over %d worlds, to one world (goal: %s)", kind.name, len(all), kind.goal),
			fmt.Sprintf("%.2f (%.0f/s, p50 %s, p99 %s; one world %.0f/s, p50 %s, p99 %s)", many.Rate/single.Rate,
				many.Rate, show(many.P50), show(many.P99), single.Rate, show(single.P50), show(single.P99)))
	}
	after := r.memory()
	r.line("memory of a world in that load (goal: at most 768 KiB)",
		fmt.Sprintf("%d KiB (resident %d MiB)", (after-before)/int64(len(all))>>10, after>>20))
	for _, m := range append(all, one) {
		if err := c.admin("DELETE", "/"+m.ID, nil, nil, http.StatusNoContent); err != nil {
			return err
		}
	}
	return nil
}

// slackCall returns the bytes of a call of the Web API with a form.
func slackCall(m made, method, form string) []byte {
	u, err := url.Parse(m.Messaging.BaseURL)
	if err != nil {
		panic(err) // a URL of the server's own
	}
	return fmt.Appendf(nil, "POST %s/api/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		u.Path, method, u.Host, m.Messaging.BotToken, len(form), form)
}
