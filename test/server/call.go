package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// StatusError is the error of a reply with another status than was wanted.
type StatusError struct {
	Status int
	Text   string
}

func (e StatusError) Error() string { return e.Text }

// Call sends a request with a JSON body, none when body is nil, and reads the JSON
// reply into what into points to, unless it is nil. It returns a StatusError for
// any other status than want.
func Call(c *http.Client, method, url, key string, body, into any, want int) error {
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, url, send)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	reply, err := c.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != want {
		err = StatusError{reply.StatusCode, fmt.Sprintf("%s %s: status %d: %.300s", method, url, reply.StatusCode, text)}
	}
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return err
}
