package app_test

import (
	"fmt"
	"reflect"
	"testing"
)

// A trace is the same whether what requests did was read before it was known which
// of them belong to the session, or after: where they are many beside its events.
func TestATraceAmongManyRequests(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		a := p.agent(p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201)))
		span := func(n int) string { return fmt.Sprintf("00-%s-%016x-01", traceID, n+1) }
		var events []object
		for n := range 3 {
			a.post(fmt.Sprint("of another ", n), "traceparent", fmt.Sprintf("00-%032x-%016x-01", 77, n+1))
			for range 2 {
				a.post(fmt.Sprint("own ", n), "traceparent", span(n))
			}
			events = append(events, a.event(fmt.Sprint(n), "", fmt.Sprint("step ", n), object{"metadata": object{"traceparent": span(n)}}))
		}
		a.report(events...)
		before, by := a.trace(a.session)
		for n := range 3 {
			a.check(by, fmt.Sprint("step ", n), fmt.Sprint("span own ", n), fmt.Sprint("span own ", n))
			for _, r := range at(before, "turns", n, "requests").([]any) {
				if len(at(r, "changes").([]any)) == 0 || len(at(r, "events").([]any)) == 0 {
					t.Errorf("a post shows no changes or no events: %v", r)
				}
			}
		}
		for range 40 {
			p.send("POST", a.Credential("messaging", "base_url")+"/api/auth.test", a.Credential("messaging", "bot_token"), nil)
		}
		after, _ := a.trace(a.session)
		if !reflect.DeepEqual(before["turns"], after["turns"]) || !reflect.DeepEqual(before["joined"], after["joined"]) {
			t.Errorf("among many requests the trace is\n%v\nwant\n%v", after, before)
		}
	})
}
