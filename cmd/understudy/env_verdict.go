package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

type envVerdict struct {
	one
	File string `arg:"" help:"File of the expectations, YAML or JSON; - reads standard input."`
}

// errNotPassed ends the program with status 1 if a verdict did not pass.
var errNotPassed = errors.New("the verdict is not passed")

// Run prints a verdict: as one JSON object, or as a line for each check and one
// for the result. It returns an error unless every check passed.
func (c *envVerdict) Run() error {
	doc, err := readDocument(c.File)
	if err != nil {
		return err
	}
	reply, err := c.call(http.MethodPost, envPath(c.Environment, "/verdict"), doc)
	if err != nil {
		return err
	}
	if c.JSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(reply); err != nil {
			return err
		}
	} else {
		printVerdict(reply)
	}
	if reply["verdict"] != "passed" {
		return fmt.Errorf("%w: it is %v", errNotPassed, reply["verdict"])
	}
	return nil
}

func printVerdict(reply map[string]any) {
	checks, _ := reply["checks"].([]any)
	for _, one := range checks {
		check, _ := one.(map[string]any)
		result := "unknown"
		if passed, ok := check["passed"].(bool); ok {
			result = map[bool]string{true: "ok", false: "FAILED"}[passed]
		}
		line := fmt.Sprintf("%-7s %v", result, check["id"])
		for _, member := range []string{"name", "message"} {
			if text, _ := check[member].(string); text != "" {
				line += ": " + text
			}
		}
		fmt.Println(line)
		evidence, _ := check["evidence"].(map[string]any)
		if left, _ := evidence["left"].([]any); result != "ok" {
			for _, one := range left {
				ch, _ := one.(map[string]any)
				fmt.Println(strings.TrimRight(fmt.Sprintf("        %v %v %v %v", ch["op"], ch["service"], ch["entity"], ch["key"]), " "))
			}
		}
	}
	fmt.Printf("%v, score %.5v\n", reply["verdict"], reply["score"])
}
