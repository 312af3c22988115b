package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/task/outcome"
)

// Shown returns the description of a task for reports.
func (t *Task) Shown(file string, standard time.Duration) outcome.Task {
	world := map[string]any{}
	for name, text := range map[string]string{"environment": t.World.Environment, "fixture": t.World.Fixture, "document": t.World.Document,
		"clock": t.World.Clock, "rate_limits": t.World.RateLimits} {
		if text != "" {
			world[name] = text
		}
	}
	if t.World.Seed != nil {
		world["seed"] = *t.World.Seed
	}
	out := outcome.Task{Name: t.Name, File: file, Instruction: t.Instruction, World: world, Limit: t.Limit(standard).Seconds()}
	if t.Metadata != nil {
		out.Metadata = map[string]json.RawMessage(t.Metadata)
	}
	return out
}

// Bad is an error at a line of a task's file. Field is "" for the task as a
// whole.
type Bad struct {
	File  string
	Line  int
	Field string
	Text  string
}

// Bad returns an error at a field of the task that only its world reveals.
func (t *Task) Bad(field, text string) error { return Bad{t.file, t.LineOf(field), field, text} }

// Error returns the error with its file, line and field.
func (b Bad) Error() string {
	if b.Field == "" {
		return fmt.Sprintf("%s, line %d: %s", b.File, b.Line, b.Text)
	}
	return fmt.Sprintf("%s, line %d, %s: %s", b.File, b.Line, b.Field, b.Text)
}

// IsBad reports whether an error is an error in a task.
func IsBad(err error) bool {
	var b Bad
	return errors.As(err, &b)
}

// Problems returns the problems in an error of Read, or of parsing the file.
func Problems(err error) seeddoc.Problems {
	if e, ok := fault.As(err); ok {
		list, _ := e.Attrs.(seeddoc.Problems)
		return list
	}
	return nil
}
