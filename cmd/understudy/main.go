// Command understudy serves four workplace services for tests, agents and teams.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

type cli struct {
	Serve   serveCmd   `cmd:"" help:"Serve messaging, crm, tracker and ingest."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Serve tools for agents on stdio (Model Context Protocol)."`
	Env     envCmd     `cmd:"" help:"Create, reset, snapshot, fork and delete environments of a running server."`
	UI      uiCmd      `cmd:"" name:"ui" help:"Print a link to the web UI that signs in with the admin key."`
	Version versionCmd `cmd:"" help:"Print version, commit and Go version."`
}

// usageError is a bad flag or value: exit status 2.
type usageError struct{ error }

func main() {
	var c cli
	parser := kong.Must(&c, kong.Name("understudy"), kong.DefaultEnvars("UNDERSTUDY"),
		kong.Description("Four workplace services in one binary, wire-compatible with the products that people use."))
	ctx, err := parser.Parse(os.Args[1:])
	if err != nil {
		err = usageError{err}
	} else {
		err = ctx.Run()
	}
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "understudy: "+strings.Join(strings.Fields(err.Error()), " ")) // one line, whatever a driver says
	var usage usageError
	if errors.As(err, &usage) {
		os.Exit(2)
	}
	os.Exit(1)
}
