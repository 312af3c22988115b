package mcpkit

import "encoding/json"

// Failure is a refusal as a model should see it: a JSON object that says what
// went wrong and what to do next.
type Failure struct {
	Body    any    // the JSON object
	Message string // the same in one sentence, for people and for the start of a server
	// Status is the HTTP status that fits where there is no tool to answer for:
	// 401 when the token is not, or no longer, good.
	Status     int
	RetryAfter int // seconds, with 429
}

func (f *Failure) Error() string { return f.Message }

func (f *Failure) text() string {
	b, err := json.Marshal(f.Body)
	if err != nil {
		panic(err) // our own types always encode
	}
	return string(b)
}
