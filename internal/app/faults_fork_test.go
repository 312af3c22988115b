package app_test

import (
	"fmt"
	"strings"
	"testing"
)

// A fork begins with the fault rules of its parent, with none or with its own.
func TestForksBeginWithFaults(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		parent := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
		failing := func(operation string) object {
			return object{"on": "request", "match": object{"operation": operation}, "do": object{"error": object{"status": 500}}}
		}
		first := failing("messaging.auth.test")
		first["id"] = "first"
		p.Call("POST", "/"+parent.ID+"/faults", first, 201)
		snapshot := p.Call("POST", "/"+parent.ID+"/snapshots", object{"name": "s"}, 201)["id"].(string)

		own := []object{failing("messaging.users.list"), {"id": "mine", "on": "delivery", "do": object{"lose": true}}}
		for _, one := range []struct {
			body  object
			rules string // ids of the rules, in order
			meets string // what fails
		}{
			{object{}, "first", "auth.test"},
			{object{"faults": nil}, "first", "auth.test"},
			{object{"faults": "inherit"}, "first", "auth.test"},
			{object{"faults": "none"}, "", ""},
			{object{"faults": []object{}, "ephemeral": true}, "", ""},
			{object{"faults": own}, "fault-1 mine", "users.list"},
			{object{"faults": own, "snapshot": snapshot, "ephemeral": true, "credentials": "fresh"}, "fault-1 mine", "users.list"},
			{object{"faults": own, "count": 2}, "fault-1 mine", "users.list"},
		} {
			made := p.Call("POST", "/"+parent.ID+"/fork", one.body, 201)
			forks := []any{made}
			if one.body["count"] != nil {
				forks = made["environments"].([]any)
			}
			for _, made := range forks {
				fork := p.world(made.(object))
				for _, when := range []string{"at first", "after a reset"} {
					var ids, fails []string
					for _, r := range p.Call("GET", "/"+fork.ID+"/faults", nil, 200)["faults"].([]any) {
						ids = append(ids, at(r, "id").(string))
					}
					for _, method := range []string{"auth.test", "users.list"} {
						if got := p.send("POST", fork.Credential("messaging", "base_url")+"/api/"+method, fork.Credential("messaging", "bot_token"), object{}); got.status == 500 {
							fails = append(fails, method)
						}
					}
					if strings.Join(ids, " ") != one.rules || strings.Join(fails, " ") != one.meets {
						t.Errorf("%v, %s: rules %v, %v fail", one.body, when, ids, fails)
					}
					p.Call("POST", "/"+fork.ID+"/reset", nil, 200)
				}
			}
		}

		// A list is checked like one that is added, before anything is made.
		before := len(p.Call("GET", "?limit=200", nil, 200)["environments"].([]any))
		lost := object{"on": "request", "do": object{"drop": "x"}}
		misspelt := object{"on": "request", "mtch": object{}, "do": object{"drop": "after"}}
		code := object{"on": "request", "match": object{"service": "crm"}, "do": object{"error": object{"status": 409, "code": "ratelimited"}}}
		for _, one := range []struct {
			faults any
			status int
			code   string
			text   string // that the message begins with
		}{
			{"some", 400, "invalid_value", "faults: "},
			{object{"faults": own}, 400, "invalid_value", "faults: "},
			{[]any{3}, 400, "", "faults"},
			{[]object{own[0], lost}, 400, "invalid_value", "faults[1].do.drop: "},
			{[]object{misspelt}, 400, "unknown_member", "faults[0].mtch: "},
			{[]object{code}, 422, "unknown_code", "faults[0].do.error.code"},
			{[]object{first, first}, 409, "fault_exists", ""},
			{make([]object, 201), 422, "too_many_faults", ""},
		} {
			got := p.Call("POST", "/"+parent.ID+"/fork", object{"faults": one.faults, "count": 2}, one.status)["error"].(object)
			if one.code != "" && got["code"] != one.code || !strings.HasPrefix(fmt.Sprint(got["message"]), one.text) {
				t.Errorf("%v: %v", one.faults, got)
			}
		}
		if after := len(p.Call("GET", "?limit=200", nil, 200)["environments"].([]any)); after != before {
			t.Errorf("%d environments were made", after-before)
		}
	})
}

// Chances follow from the seed that a fork begins from.
func TestChancesFollowFromTheSeedOfAFork(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		parent := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
		sometimes := []object{{"id": "sometimes", "on": "request", "when": object{"probability": 0.5}, "do": object{"error": object{"status": 500}}}}
		runs := map[string]bool{}
		for _, seed := range []int{1, 2, 1} {
			fork := p.world(p.Call("POST", "/"+parent.ID+"/fork", object{"faults": sometimes, "seed": seed, "ephemeral": true}, 201))
			run := fmt.Sprint(seed, ":")
			for range 20 {
				run += fmt.Sprint(" ", p.send("POST", fork.Credential("messaging", "base_url")+"/api/auth.test", fork.Credential("messaging", "bot_token"), object{}).status)
			}
			runs[run] = true
		}
		if len(runs) != 2 {
			t.Errorf("three forks, two of them with one seed: %v", runs)
		}
		var drawn []string
		for run := range runs {
			_, answers, _ := strings.Cut(run, ":")
			drawn = append(drawn, answers)
		}
		if len(drawn) == 2 && drawn[0] == drawn[1] {
			t.Error("two seeds draw the same chances")
		}
	})
}
