// Package outcome contains the outcomes of runs: the state, the verdict and the
// data for reports.
package outcome

import (
	"encoding/json"
	"time"

	"understudy/internal/task/plane"
)

// State is the final state of a run.
type State string

// The states of a run.
const (
	Passed  State = "passed"  // every check passed
	Failed  State = "failed"  // a check failed
	Timeout State = "timeout" // the command was ended at a limit; its score is that of the verdict
	Error   State = "error"   // it could not be graded
)

// Run is one attempt at a task.
type Run struct {
	Task        string  `json:"task"`
	Number      int     `json:"run"`
	State       State   `json:"state"`
	Reason      string  `json:"reason,omitempty" jsonschema:"Why it is a timeout or an error."`
	Score       float64 `json:"score"`
	Seconds     float64 `json:"seconds" jsonschema:"How long the command ran."`
	Requests    int     `json:"requests" jsonschema:"How many requests the agent made."`
	Firings     int     `json:"firings" jsonschema:"How often fault rules fired."`
	Exit        *int    `json:"exit" jsonschema:"The exit status of the command; null where it did not end by itself."`
	Environment string  `json:"environment"`
	Seed        *int64  `json:"seed"`
	Kept        bool    `json:"kept,omitempty" jsonschema:"Whether the environment is still there."`

	Verdict *plane.Verdict `json:"verdict"`
	Answer  *string        `json:"answer,omitempty" jsonschema:"What the agent wrote into the answer file."`
	Output  string         `json:"output,omitempty" jsonschema:"The end of what the command wrote to standard output and error: its last 32,768 bytes. Where that is not all, the first line says how many bytes came before."`

	Evidence *Evidence `json:"evidence,omitempty"`
}

// Evidence is the server's data about a run, which is read only for reports.
type Evidence struct {
	Diff     *plane.Diff     `json:"diff"`
	Requests []plane.Request `json:"requests"`
	Faults   []plane.Fault   `json:"faults"`
	Trace    json.RawMessage `json:"trace,omitempty"`
}

// Task is the description of a task in reports.
type Task struct {
	Name        string                     `json:"task"`
	File        string                     `json:"file"`
	Instruction string                     `json:"instruction,omitempty"`
	World       map[string]any             `json:"world"`
	Limit       float64                    `json:"limit_seconds"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
}

// Session is the tasks of one command and their runs, in order.
type Session struct {
	Program     string    `json:"program" jsonschema:"Version of the program."`
	Started     time.Time `json:"started"`
	Seconds     float64   `json:"seconds"`
	Command     []string  `json:"command"`
	Server      string    `json:"server"`
	Wanted      int       `json:"wanted" jsonschema:"How many runs of each task were asked for."`
	Interrupted bool      `json:"interrupted"`
	Tasks       []Task    `json:"tasks"`
	Runs        []Run     `json:"runs"`
}
