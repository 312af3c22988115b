package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

type envTrace struct {
	one
	Session string `arg:"" help:"Id of the session that the agent reported, or - for all requests, grouped by their trace ids."`
}

// Run prints an agent's report, and below each step its requests with their
// changes, events and deliveries.
func (c *envTrace) Run() error {
	return c.run(http.MethodGet, envPath(c.Environment, "/trace/", url.PathEscape(c.Session)), nil, func(reply map[string]any) {
		eachObject(reply["turns"], func(step map[string]any) { printStep(step, "") })
		eachObject(reply["unjoined"], func(x map[string]any) {
			fmt.Printf("not joined: %v %s (%v)\n", x["seq"], operationsText(x), x["status"])
		})
		joined, _ := reply["joined"].(map[string]any)
		fmt.Printf("joined by request %v, span %v, trace %v, order %v\n", joined["request"], joined["span"], joined["trace"], joined["order"])
	})
}

// eachObject calls f for each object in a list.
func eachObject(list any, f func(x map[string]any)) {
	all, _ := list.([]any)
	for _, x := range all {
		if x, ok := x.(map[string]any); ok {
			f(x)
		}
	}
}

func printStep(step map[string]any, indent string) {
	fmt.Printf("%s%s\n", indent, stepText(step))
	indent += "  "
	eachObject(step["requests"], func(x map[string]any) { printTraced(x, indent) })
	eachObject(step["tools"], func(x map[string]any) { printStep(x, indent) })
}

// stepText returns a line for an event, or for a trace.
func stepText(step map[string]any) string {
	e, ok := step["event"].(map[string]any)
	if !ok {
		return fmt.Sprintf("trace %v", step["trace_id"])
	}
	parts := []string{"turn"}
	if e["type"] != nil {
		parts[0] = fmt.Sprint(e["type"])
	}
	if e["name"] != nil {
		parts = append(parts, fmt.Sprint(e["name"]))
	}
	for _, one := range []struct{ member, text string }{{"latency", "%v ms"}, {"tokens", "%v tokens"}} {
		if e[one.member] != nil {
			parts = append(parts, fmt.Sprintf(one.text, e[one.member]))
		}
	}
	if e["success"] == false {
		parts = append(parts, "failed")
	}
	return strings.Join(parts, "  ")
}

func printTraced(x map[string]any, indent string) {
	fault := ""
	if x["fault"] != nil {
		fault = "  fault " + faultText(x["fault"])
	}
	fmt.Printf("%s%v %s  %v (by %v)%s\n", indent, x["seq"], operationsText(x), x["status"], x["join"], fault)
	indent += "  "
	eachObject(x["changes"], func(c map[string]any) {
		key := c["key"]
		if key == nil {
			key = "?"
		}
		sign := map[string]string{"insert": "+", "update": "~", "delete": "-"}[fmt.Sprint(c["op"])]
		fmt.Printf("%s%s %v %v %v\n", indent, sign, c["service"], c["entity"], key)
	})
	eachObject(x["events"], func(e map[string]any) {
		fmt.Printf("%sevent %v\n", indent, e["type"])
		eachObject(e["deliveries"], func(d map[string]any) {
			fmt.Printf("%s  delivery %v %v, %v attempts\n", indent, d["id"], d["status"], d["attempts"])
		})
	})
}
