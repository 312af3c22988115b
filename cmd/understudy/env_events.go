package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"text/tabwriter"
)

type envEvents struct {
	one
	Service string `help:"List only the events of this service: messaging, crm, tracker or ingest."`
	Type    string `help:"List only events of this type."`
	Limit   int    `default:"50" help:"Largest number of entries to list, 1 to 200."`
}

// Run prints the newest events, a line for each.
func (c *envEvents) Run() error {
	q := url.Values{"service": {c.Service}, "type": {c.Type}, "limit": {strconv.Itoa(c.Limit)}}
	return c.run(http.MethodGet, envPath(c.Environment, "/events?", q.Encode()), nil, func(reply map[string]any) {
		table(reply["events"], "SEQ\tSERVICE\tTYPE\tKEY\tDELIVERIES\tCAUSE", func(e map[string]any) string {
			sent, _ := e["deliveries"].([]any)
			return fmt.Sprintf("%v\t%v\t%v\t%v\t%d\t%s", e["seq"], e["service"], e["type"], e["key"], len(sent), causeText(e["cause"]))
		})
	})
}

type envDeliveries struct {
	one
	Service     string `help:"List only the deliveries of this service: messaging, crm, tracker or ingest."`
	Destination string `help:"List only deliveries to the subscription or webhook with this id."`
	Status      string `help:"List only deliveries in this state: pending, delivered, failed or cancelled."`
	Limit       int    `default:"50" help:"Largest number of entries to list, 1 to 200."`
}

// Run prints the newest deliveries, a line for each.
func (c *envDeliveries) Run() error {
	q := url.Values{"service": {c.Service}, "destination": {c.Destination}, "status": {c.Status}, "limit": {strconv.Itoa(c.Limit)}}
	for name, v := range q {
		if v[0] == "" {
			delete(q, name)
		}
	}
	return c.run(http.MethodGet, envPath(c.Environment, "/deliveries?", q.Encode()), nil, func(reply map[string]any) {
		table(reply["deliveries"], "ID\tSERVICE\tEVENT\tSTATUS\tATTEMPTS\tURL\tCAUSE", func(d map[string]any) string {
			tried, _ := d["attempts"].([]any)
			return fmt.Sprintf("%v\t%v\t%v\t%v\t%d\t%v\t%s", d["id"], d["service"], d["event"], d["status"], len(tried), d["url"], causeText(d["cause"]))
		})
	})
}

type envReplay struct {
	one
	Delivery    string `arg:"" optional:"" help:"Id of a delivery. Without one, the newest deliveries that match are sent again."`
	Service     string `help:"Send only the deliveries of this service: messaging, crm, tracker or ingest."`
	Destination string `help:"Send only deliveries to the subscription or webhook with this id."`
	Status      string `help:"Send only deliveries in this state: pending, delivered, failed or cancelled. All but pending ones by default."`
	Limit       int    `help:"Largest number of deliveries to send, 1 to 1000. 1000 by default."`
}

// Run queues one delivery again, or all that match.
func (c *envReplay) Run() error {
	filter := map[string]any{}
	for name, v := range map[string]string{"service": c.Service, "destination": c.Destination, "status": c.Status} {
		if v != "" {
			filter[name] = v
		}
	}
	if c.Limit != 0 {
		filter["limit"] = c.Limit
	}
	switch {
	case c.Delivery == "":
		return c.run(http.MethodPost, envPath(c.Environment, "/deliveries/replay"), filter, func(reply map[string]any) {
			fmt.Printf("%v sent again, %v skipped\n", reply["replayed"], reply["skipped"])
		})
	case len(filter) > 0:
		return usageError{errors.New("give the id of a delivery, or --service, --destination, --status and --limit")}
	}
	return c.run(http.MethodPost, envPath(c.Environment, "/deliveries/", url.PathEscape(c.Delivery), "/replay"), nil, func(reply map[string]any) {
		fmt.Println(reply["id"], reply["status"])
	})
}

// table prints a heading and a line for each item of a list.
func table(list any, heading string, line func(map[string]any) string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, heading)
	items, _ := list.([]any)
	for _, one := range items {
		item, _ := one.(map[string]any)
		_, _ = fmt.Fprintln(w, line(item))
	}
	_ = w.Flush()
}

// causeText returns a request as a cause: operation, actor and number.
func causeText(v any) string {
	c, ok := v.(map[string]any)
	if !ok {
		return "-"
	}
	actor, _ := c["actor"].(map[string]any)
	text := fmt.Sprint(actor["kind"])
	if name, _ := actor["name"].(string); name != "" {
		text += " " + name
	}
	operation, _ := c["operation"].(string)
	if c["seq"] == nil {
		return cmp.Or(operation, "-") + " (" + text + ")"
	}
	return fmt.Sprintf("%s (%s, request %v)", cmp.Or(operation, "a request that is no longer recorded"), text, c["seq"])
}
