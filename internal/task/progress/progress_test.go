package progress

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"understudy/internal/task"
	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
)

func failed(message string) *outcome.Run {
	no := false
	return &outcome.Run{Task: "a", Number: 2, State: outcome.Failed, Score: 0.25, Seconds: 61, Requests: 7, Firings: 1,
		Verdict: &plane.Verdict{Checks: []plane.Check{{ID: "expect[0]", Name: "an answer", Passed: &no, Message: message}}}}
}

// What a world holds neither moves the cursor nor breaks a line.
func TestALineShowsWhyAndNothingElse(t *testing.T) {
	line := Line(failed("no\nmessage \x1b[2J\u202e"), 8)
	if want := "FAILED  a 2/8  score 0.25  1m1s  7 requests  1 faults fired  expect[0]: an answer: no message �[2J�"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	l := &JSONLines{Out: &out, Err: &out}
	run := failed("x")
	run.Evidence = &outcome.Evidence{}
	l.Ended(0, run)
	l.Summary(map[string]int{"runs": 1})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !json.Valid([]byte(lines[0])) || strings.Contains(lines[0], "evidence\":{\"diff") || lines[1] != `{"summary":{"runs":1}}` {
		t.Errorf("%q", lines)
	}
}

// The bar counts, estimates what is left, and fits the terminal.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	b := NewBar(&out, 60, 2, 4, 4)
	b.Started(0, &task.Task{File: task.File{Name: "a"}}, 1)
	b.Started(1, &task.Task{File: task.File{Name: strings.Repeat("long", 30)}}, 2)
	b.Ended(0, &outcome.Run{Task: "a", Number: 1, State: outcome.Passed})
	b.Ended(0, failed("x"))
	b.Warn(errors.New("odd"))
	b.mu.Lock()
	lines := b.text(b.began.Add(10 * time.Second))
	b.mu.Unlock()
	b.Close()
	if len(lines) != 3 || !strings.Contains(lines[0], "2/4  passed 1  failed 1") || len([]rune(lines[0])) > 59 || len(lines[2]) > 60 {
		t.Errorf("%q", lines)
	}
	if text := out.String(); !strings.Contains(text, "FAILED  a 2/4") || !strings.Contains(text, "odd") || strings.Contains(text, "passed  a") || !strings.Contains(text, "\x1b[J") {
		t.Errorf("%q", text)
	}
}
