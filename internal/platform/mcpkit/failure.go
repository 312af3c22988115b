package mcpkit

import "encoding/json"

// Failure is an error in the form for models: a JSON object that explains what
// went wrong and what to do next.
type Failure struct {
	Body    any    // the JSON object
	Message string // the same in one sentence, for people and for errors at the start of a server
	// Status is the HTTP status if no tool can reply: 401 for an invalid token.
	Status     int
	RetryAfter int // seconds, with 429
}

func (f *Failure) Error() string { return f.Message }

func (f *Failure) text() string {
	b, err := json.Marshal(f.Body)
	if err != nil {
		panic(err) // the types of this program always encode
	}
	return string(b)
}
