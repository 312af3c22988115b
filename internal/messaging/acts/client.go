package acts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// clientName is the client name of acts in recordings.
const clientName = "people"

// envelope holds the members of Web API replies and of control plane errors.
type envelope struct {
	OK      *bool           `json:"ok"`
	Error   string          `json:"error"`
	Message json.RawMessage `json:"message"` // a sentence in the control plane; a message in the Web API
	Status  *int            `json:"status"`
	Body    *string         `json:"body"`
}

// method calls a method of the Web API.
func (p *client) method(ctx context.Context, name string, args map[string]any, out any) error {
	return p.call(ctx, clientName, http.MethodPost, "/api/"+name, args, out)
}

// control calls the control plane.
func (p *client) control(ctx context.Context, verb, path string, body, out any) error {
	return p.call(ctx, clientName, verb, path, body, out)
}

// look reads like the web UI, without being recorded.
func (p *client) look(ctx context.Context, path string, out any) error {
	return p.call(ctx, httpkit.WebClient, http.MethodGet, path, nil, out)
}

// call sends a request and decodes its reply into out, unless out is nil. It
// returns an error of the service as Unprocessable with the service's code.
func (p *client) call(ctx context.Context, client, verb, path string, body, out any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, verb, "http://messaging"+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set(httpkit.ClientHeader, client)
	reply, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	var e envelope
	if reply.StatusCode != http.StatusNoContent {
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("%s answers %d and no JSON", path, reply.StatusCode)
		}
	}
	if reply.StatusCode >= 400 || e.OK != nil && !*e.OK {
		return e.refusal(reply)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// refusal returns an error of the service in the form of the admin plane.
func (e *envelope) refusal(reply *http.Response) error {
	var detail string
	if json.Unmarshal(e.Message, &detail) != nil || detail == "" {
		detail = "The messaging service refuses this: " + e.Error + "."
	}
	wait, _ := strconv.Atoi(reply.Header.Get("Retry-After"))
	after := time.Duration(wait) * time.Second
	switch {
	case reply.StatusCode == http.StatusBadGateway:
		return environment.AppFailed.Detailf("%s", detail).With(environment.Details{"status": e.Status, "body": e.Body})
	case reply.StatusCode >= http.StatusInternalServerError:
		return fault.New(fault.Unavailable, fault.Reason(e.Error), detail).After(after)
	case e.Error == "message_not_found":
		return MessageNotFound
	}
	return fault.New(fault.Unprocessable, fault.Reason(e.Error), detail).After(after)
}
