package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

type envRequests struct {
	one
	Service   string `help:"List only requests to this service: messaging, crm, tracker or ingest."`
	Operation string `help:"List only requests for this operation, such as messaging.chat.postMessage; * stands for any text."`
	Actor     string `help:"List only requests of this kind of caller: agent, person, admin or system."`
	Status    int    `help:"List only requests that were answered with this HTTP status."`
	TraceID   string `name:"trace-id" help:"List only requests of the distributed trace with this id."`
	After     int64  `help:"List only requests that came after the request with this number."`
	Order     string `help:"desc for the newest requests first, asc for the oldest."`
	Limit     int    `default:"50" help:"Largest number of requests to list, 1 to 200."`
}

// Run prints the newest recorded requests, a line for each.
func (c *envRequests) Run() error {
	q := url.Values{"limit": {strconv.Itoa(c.Limit)}}
	for name, value := range map[string]string{"service": c.Service, "operation": c.Operation, "actor": c.Actor, "trace_id": c.TraceID, "order": c.Order} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if c.Status != 0 {
		q.Set("status", strconv.Itoa(c.Status))
	}
	if c.After != 0 {
		q.Set("after_seq", strconv.FormatInt(c.After, 10))
	}
	return c.run(http.MethodGet, envPath(c.Environment, "/requests?", q.Encode()), nil, func(reply map[string]any) {
		table(reply["requests"], "SEQ\tSTATUS\tMS\tOPERATION\tBY\tFAULT", func(x map[string]any) string {
			return fmt.Sprintf("%v\t%v\t%v\t%s\t%s\t%s", x["seq"], x["status"], x["duration_ms"], operationsText(x), actorText(x), faultText(x["fault"]))
		})
	})
}

type envRequest struct {
	one
	Seq int64 `arg:"" help:"Number of the request."`
}

// Run prints one recorded request with its bodies.
func (c *envRequest) Run() error {
	return c.run(http.MethodGet, envPath(c.Environment, "/requests/", strconv.FormatInt(c.Seq, 10)), nil, printRequest)
}

func printRequest(x map[string]any) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "seq\t%v\nrequest\t%v %v\noperation\t%s\nby\t%s\n", x["seq"], x["method"], x["path"], operationsText(x), actorText(x))
	for _, member := range []string{"parent_seq", "trace_id", "at", "status", "duration_ms"} {
		if x[member] != nil {
			_, _ = fmt.Fprintf(w, "%s\t%v\n", member, x[member])
		}
	}
	if x["fault"] != nil {
		_, _ = fmt.Fprintf(w, "fault\t%s\n", faultText(x["fault"]))
	}
	_ = w.Flush()
	if x["bodies"] == "dropped" {
		fmt.Println("Its bodies are no longer kept.")
		return
	}
	fmt.Printf("\n%v\n\n%v\n", x["request_body"], x["response_body"])
}

// operationsText returns the operations of a request, or its address if they are
// unknown.
func operationsText(x map[string]any) string {
	all, _ := x["operations"].([]any)
	if len(all) == 0 {
		return fmt.Sprintf("%v %v", x["method"], x["path"])
	}
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = fmt.Sprint(name)
	}
	return strings.Join(names, ", ")
}

// actorText returns the actor of a request, and the tool that made it.
func actorText(x map[string]any) string {
	actor, _ := x["actor"].(map[string]any)
	text := fmt.Sprint(actor["kind"])
	if name, _ := actor["name"].(string); name != "" {
		text += " " + name
	}
	if via, ok := x["via"].(map[string]any); ok {
		text += fmt.Sprintf(" (%v)", via["tool"])
	}
	return text
}

// faultText returns the effect of a fault rule, "-" for none.
func faultText(v any) string {
	f, ok := v.(map[string]any)
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%v (%v, %s)", f["id"], f["do"], map[bool]string{true: "carried out", false: "not carried out"}[f["committed"] == true])
}
