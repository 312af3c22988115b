package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

type envFaults struct {
	one
	Clear bool `help:"Remove all fault rules of the environment."`
}

// Run prints the fault rules of an environment, a line for each, or removes them.
func (c *envFaults) Run() error {
	path := envPath(c.Environment, "/faults")
	if c.Clear {
		return c.run(http.MethodDelete, path, nil, func(map[string]any) { fmt.Println("removed all faults of", c.Environment) })
	}
	all, err := c.list(path, "faults", "")
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(map[string]any{"faults": all})
	}
	printFaults(all)
	return nil
}

func printFaults(all any) {
	table(all, "ID\tON\tMATCH\tWHEN\tDO\tMATCHED\tFIRED", func(f map[string]any) string {
		id := fmt.Sprint(f["id"])
		if f["enabled"] == false {
			id += " (off)"
		}
		return fmt.Sprintf("%s\t%v\t%s\t%s\t%s\t%v\t%v", id, f["on"], conditionText(f["match"]), conditionText(f["when"]), brief(f["do"]), f["matched"], f["fired"])
	})
}

// conditionText returns the conditions of a rule as JSON, "-" for none.
func conditionText(v any) string {
	if v == nil {
		return "-"
	}
	return brief(v)
}

type envFault struct {
	Add    envFaultAdd    `cmd:"" help:"Add one or more fault rules from a file."`
	Show   envFaultShow   `cmd:"" help:"Show a fault rule and how often it matched and fired."`
	On     envFaultOn     `cmd:"" help:"Enable a fault rule."`
	Off    envFaultOff    `cmd:"" help:"Disable a fault rule."`
	Remove envFaultRemove `cmd:"" help:"Remove a fault rule."`
}

type envFaultAdd struct {
	one
	File string `arg:"" help:"JSON file with one rule, a list of rules, or an object with the list under faults; - reads standard input."`
}

// Run adds the rules in a file and prints them.
func (c *envFaultAdd) Run() error {
	rules, err := readRules(c.File)
	if err != nil {
		return err
	}
	return c.run(http.MethodPost, envPath(c.Environment, "/faults"), map[string]any{"faults": rules}, func(reply map[string]any) {
		printFaults(reply["faults"])
	})
}

// readRules reads fault rules from a file: one rule, a list of them, or an object
// whose only member faults is a list.
func readRules(path string) ([]json.RawMessage, error) {
	doc, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	text := []byte(doc.text)
	rules := []json.RawMessage{}
	if json.Unmarshal(text, &rules) == nil && rules != nil {
		return rules, nil
	}
	var several map[string]json.RawMessage
	if json.Unmarshal(text, &several) != nil {
		return nil, usageError{fmt.Errorf("%s must be a fault rule or a list of them, in JSON", path)}
	}
	if len(several) == 1 && json.Unmarshal(several["faults"], &rules) == nil && rules != nil {
		return rules, nil
	}
	return []json.RawMessage{text}, nil
}

// fault identifies a fault rule of an environment.
type fault struct {
	one
	ID string `arg:"" help:"Id of the fault rule."`
}

func (c *fault) path() string { return envPath(c.Environment, "/faults/", url.PathEscape(c.ID)) }

type envFaultShow struct{ fault }

// Run shows a fault rule.
func (c *envFaultShow) Run() error { return c.run(http.MethodGet, c.path(), nil, printFault) }

func printFault(f map[string]any) { printFaults([]any{f}) }

type envFaultOn struct{ fault }

// Run enables a fault rule.
func (c *envFaultOn) Run() error {
	return c.run(http.MethodPatch, c.path(), map[string]any{"enabled": true}, printFault)
}

type envFaultOff struct{ fault }

// Run disables a fault rule.
func (c *envFaultOff) Run() error {
	return c.run(http.MethodPatch, c.path(), map[string]any{"enabled": false}, printFault)
}

type envFaultRemove struct{ fault }

// Run removes a fault rule.
func (c *envFaultRemove) Run() error {
	return c.run(http.MethodDelete, c.path(), nil, func(map[string]any) { fmt.Println("removed", c.ID) })
}
