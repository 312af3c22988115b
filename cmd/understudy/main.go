// Command understudy serves four workplace services for tests, agents and teams.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	_ "understudy/cmd/understudy/collector"
)

type server struct {
	Serve serveCmd `cmd:"" help:"Start the server with the services messaging, crm, tracker and ingest."`
}

type cli struct {
	server
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Serve tools for agents on standard input and output (Model Context Protocol)."`
	Env     envCmd     `cmd:"" help:"Create, reset, snapshot, fork, inspect and delete the environments of a running server."`
	Run     runCmd     `cmd:"" help:"Run an agent on tasks, each run in a fork of the task's world, and grade what it did."`
	Task    taskCmd    `cmd:"" help:"Check, record and import tasks, or print their schema."`
	UI      uiCmd      `cmd:"" name:"ui" help:"Print a link to the web UI that signs in with the admin key."`
	Health  healthCmd  `cmd:"" help:"Ask a server on this machine whether it is ready. The exit status is 0 when it is."`
	Version versionCmd `cmd:"" help:"Print the version, the commit and the Go version."`
}

// grammar returns the commands that a command line may contain. Parsing the tags
// of all commands takes a tenth of the start, so serve has its own grammar.
func grammar(args []string) any {
	if len(args) > 0 && args[0] == "serve" {
		return new(server)
	}
	return new(cli)
}

// usageError is an invalid flag or value: exit status 2.
type usageError struct{ error }

func main() {
	parser := kong.Must(grammar(os.Args[1:]), kong.Name("understudy"), kong.DefaultEnvars("UNDERSTUDY"),
		kong.Description("Four workplace services in one binary, wire-compatible with the products that people use."))
	own, behind := split(os.Args[1:])
	ctx, err := parser.Parse(own)
	if err != nil {
		err = usageError{err}
	} else {
		err = ctx.Run(behind)
	}
	if err == nil {
		return
	}
	var ended statusError
	if errors.As(err, &ended) && ended.text == "" {
		os.Exit(ended.status)
	}
	fmt.Fprintln(os.Stderr, "understudy: "+strings.Join(strings.Fields(err.Error()), " ")) // on one line, whatever a driver returns
	var usage usageError
	if errors.As(err, &usage) {
		os.Exit(exitUsage)
	}
	if ended.status != 0 {
		os.Exit(ended.status)
	}
	os.Exit(1)
}

// behind is a command after -- on the command line.
type behind []string

// split splits the command after -- from the arguments of commands that have one.
func split(args []string) (own []string, command behind) {
	takes := len(args) > 0 && args[0] == "run" || len(args) > 1 && args[0] == "task" && args[1] == "record"
	if i := slices.Index(args, "--"); takes && i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}
