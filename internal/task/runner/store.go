package runner

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"understudy/internal/task/outcome"
	"understudy/internal/task/plane"
)

// store stores the outcome of the run on the server, so that it outlives the
// fork. Errors do not affect the run: the first is a warning.
func (a *attempt) store() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o, answer := &a.out, a.out.Answer
	if answer != nil {
		text := cut(*answer, maxStoredAnswer)
		answer = &text
	}
	err := a.plane.Do(ctx, http.MethodPost, plane.Of(a.environment, "/verdicts"), struct {
		Task     string         `json:"task"`
		Run      int            `json:"run"`
		Series   string         `json:"series"`
		State    outcome.State  `json:"state"`
		Reason   string         `json:"reason"`
		Score    float64        `json:"score"`
		Seconds  float64        `json:"seconds"`
		Requests int            `json:"requests"`
		Firings  int            `json:"firings"`
		Exit     *int           `json:"exit"`
		Seed     *int64         `json:"seed"`
		Kept     bool           `json:"kept"`
		Answer   *string        `json:"answer"`
		Output   string         `json:"output"`
		Verdict  *plane.Verdict `json:"verdict"`
	}{o.Task, o.Number, cut(a.options.Series, maxSeries), o.State, cut(o.Reason, maxReason), o.Score, o.Seconds, o.Requests, o.Firings, o.Exit, o.Seed, o.Kept,
		answer, cut(o.Output, maxOutput), o.Verdict}, nil)
	if err != nil {
		a.unheard.Do(func() { a.warn(fmt.Errorf("the server did not store the outcome of a run: %w", err)) })
	}
}

// The most that the server stores, in characters.
const (
	maxSeries = 200
	maxReason = 20_000
	maxOutput = 65_536
	// maxStoredAnswer is less than maxAnswer: reports contain more of an answer.
	maxStoredAnswer = 65_536
)

// cut returns the beginning of a text, without characters that the server
// rejects.
func cut(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "�")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
