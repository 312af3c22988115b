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

// taskCmd contains the commands for tasks.
type taskCmd struct {
	Check  taskCheck  `cmd:"" help:"Check tasks: the names in them exist, a run that does nothing ends as the task says, and the solution passes twice."`
	Record taskRecord `cmd:"" help:"Run the solution of a task and write what it changed as the task's expectations."`
	Import taskImport `cmd:"" help:"Convert the tests of other programs to tasks."`
	Schema taskSchema `cmd:"" help:"Print the JSON schema of task files."`
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

// readTasks reads the files of tasks, whose names must be unique.
func readTasks(files []string) (out []*task.Task, err error) {
	names := map[string]string{}
	for _, file := range files {
		t, _, err := readTask(file, task.Read)
		if err != nil {
			return nil, err
		}
		if other, twice := names[t.Name]; twice {
			return nil, fmt.Errorf("%s and %s have the same name %s: give each task a name of its own", other, file, t.Name)
		}
		names[t.Name] = file
		out = append(out, t)
	}
	return out, nil
}

// readTask reads a file and returns its text too. Its error lists each problem
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
