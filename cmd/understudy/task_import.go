package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"understudy/internal/task/agentdiff"
)

// taskImport converts tests of other programs to tasks.
type taskImport struct {
	AgentDiff importAgentDiff `cmd:"" name:"agent-diff" help:"Convert a suite of Agent-Diff to tasks and seed documents."`
}

type importAgentDiff struct {
	Suite string `arg:"" help:"JSON file of the suite."`
	Out   string `short:"o" type:"path" help:"Folder to write the files to. By default a folder with the name of the suite, in the current folder."`
	Seeds string `type:"path" help:"Folder of the suite's seed templates. By default the one beside the suite."`
}

// Run writes the tasks, and lists each test that cannot be converted.
func (c *importAgentDiff) Run() error {
	text, err := os.ReadFile(c.Suite)
	if err != nil {
		return usageError{err}
	}
	found, err := agentdiff.Read(text, c.template)
	if err != nil {
		return usageError{fmt.Errorf("%s %w", c.Suite, err)}
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(c.Suite), filepath.Ext(c.Suite))
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, f := range found.Files {
		if err := os.WriteFile(filepath.Join(out, f.Name), f.Text, 0o644); err != nil {
			return err
		}
	}
	for _, note := range found.Notes {
		fmt.Fprintln(os.Stderr, "note:", note)
	}
	for _, p := range found.Problems {
		fmt.Fprintf(os.Stderr, "%s, %s\n", c.Suite, p)
	}
	fmt.Printf("%d of %d tests are tasks in %s\n", found.Tasks, found.Tasks+found.Refused, out)
	if found.Refused > 0 {
		return statusError{exitUsage, fmt.Sprintf("%d tests cannot be said as tasks", found.Refused)}
	}
	return nil
}

// template reads a seed template from the given directory, or from its usual
// place in that project.
func (c *importAgentDiff) template(service, name string) ([]byte, error) {
	beside := filepath.Dir(c.Suite)
	folders := []string{filepath.Join(beside, "..", service), filepath.Join(beside, service), beside}
	if c.Seeds != "" {
		folders = []string{c.Seeds, filepath.Join(c.Seeds, service)}
	}
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, fmt.Errorf("there is no %s.json in %s: name the folder with --seeds", name, strings.Join(folders, ", "))
}
