package understudytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Error is a refusal by the server.
type Error struct {
	Status  int    // of HTTP
	Code    string // such as person_not_found
	Message string
	request string
}

// Error returns what was refused, and why.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%s: status %d and no JSON: is this the admin plane?", e.request, e.Status)
	}
	return fmt.Sprintf("%s: %s (%s)", e.request, e.Message, e.Code)
}

// plane is the admin plane of a server.
type plane struct {
	url  string // ends in /admin/v1
	key  string
	http *http.Client
}

func newPlane(url, key string) *plane {
	return &plane{url: strings.TrimRight(url, "/"), key: key, http: &http.Client{Timeout: 2 * time.Minute}}
}

// call sends a body, as YAML when it is a string and as JSON otherwise, and
// decodes the reply into what into points to: as text when that is a string, not
// at all when it is nil. It returns an *Error for a refusal.
func (p *plane) call(method, path string, body, into any) error {
	var sent io.Reader
	contentType := "application/json"
	if text, ok := body.(string); ok {
		sent, contentType = strings.NewReader(text), "application/yaml"
	} else if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, p.url+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", contentType)
	reply, err := p.http.Do(r)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	if reply.StatusCode >= http.StatusBadRequest {
		var refused struct {
			Error struct{ Code, Message string } `json:"error"`
		}
		_ = json.Unmarshal(text, &refused)
		return &Error{Status: reply.StatusCode, Code: refused.Error.Code, Message: refused.Error.Message, request: method + " " + path}
	}
	if into == nil || len(text) == 0 {
		return nil
	}
	if s, ok := into.(*string); ok {
		*s = string(text)
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
