package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/yamldoc"
	"understudy/internal/task"
)

// taskCmd works on tasks.
type taskCmd struct {
	Check  taskCheck  `cmd:"" help:"Check that tasks are sound: their names exist, doing nothing ends as they say, and their solution passes twice."`
	Record taskRecord `cmd:"" help:"Run a solution and write what it did as the expectations of a task."`
	Import taskImport `cmd:"" help:"Turn tests of other programs into tasks."`
	Schema taskSchema `cmd:"" help:"Print the JSON schema of tasks."`
}

type taskSchema struct{}

// Run prints the schema.
func (*taskSchema) Run() error {
	text, err := task.Schema()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

// maxTask bounds the file of a task, in bytes.
const maxTask = 1 << 20

// readTasks reads the files of tasks, whose names must differ.
func readTasks(files []string) (out []*task.Task, err error) {
	names := map[string]string{}
	for _, file := range files {
		t, _, err := readTask(file, task.Read)
		if err != nil {
			return nil, err
		}
		if other, twice := names[t.Name]; twice {
			return nil, fmt.Errorf("%s and %s are both called %s: names of tasks have to differ", other, file, t.Name)
		}
		names[t.Name] = file
		out = append(out, t)
	}
	return out, nil
}

// readTask reads a file and returns its text too. Its error names each problem
// with its line.
func readTask(file string, read func(string, *seeddoc.Node) (*task.Task, error)) (t *task.Task, text []byte, err error) {
	if text, err = task.ReadFile(file, maxTask); err != nil {
		return nil, nil, err
	}
	n, err := yamldoc.Parse(text)
	if err == nil {
		t, err = read(file, n)
	}
	if err == nil {
		return t, text, nil
	}
	lines := []string{}
	for _, p := range task.Problems(err) {
		lines = append(lines, task.Bad{File: file, Line: p.Line, Field: p.Field, Text: p.Message}.Error())
	}
	if len(lines) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return nil, nil, errors.New(strings.Join(lines, "; "))
}
