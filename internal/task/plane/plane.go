// Package plane is a client of the admin plane, with the replies that runs and
// reports need.
package plane

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Client sends requests to the admin plane of a server.
type Client struct {
	URL  string // http://HOST/admin/v1
	Key  string
	HTTP *http.Client
}

// New returns a client that keeps enough idle connections for a number of
// concurrent callers.
func New(address, key string, callers int) *Client {
	return &Client{URL: strings.TrimSuffix(address, "/"), Key: key,
		HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4 * callers, Proxy: http.ProxyFromEnvironment}}}
}

// Refusal is an error reply of the server.
type Refusal struct {
	Status   int       `json:"-"`
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Field    string    `json:"field"`
	Problems []Problem `json:"problems"`
}

// Problem is an error at a place of a document.
type Problem struct {
	Line    int    `json:"line"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error returns the message and the code.
func (r *Refusal) Error() string {
	if r.Code == "" {
		return fmt.Sprintf("the server answers %d", r.Status)
	}
	return fmt.Sprintf("%s (%s)", r.Message, r.Code)
}

// Refused returns the Refusal in an error; nil if there is none.
func Refused(err error) *Refusal {
	var r *Refusal
	errors.As(err, &r)
	return r
}

// Text sends a request and returns the reply. It returns a *Refusal for a status
// of 400 and above, and network errors.
func (c *Client) Text(ctx context.Context, method, path string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, sent)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.Key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	reply, err := c.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	if reply.StatusCode < 400 {
		return text, nil
	}
	var refused struct {
		Error Refusal `json:"error"`
	}
	_ = json.Unmarshal(text, &refused)
	refused.Error.Status = reply.StatusCode
	return nil, &refused.Error
}

// Do sends a request and decodes the reply, unless into is nil.
func (c *Client) Do(ctx context.Context, method, path string, body, into any) error {
	text, err := c.Text(ctx, method, path, body)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s %s: unexpected reply: %w", method, path, err)
	}
	return nil
}

// Of returns the path of something that belongs to an environment.
func Of(environment, what string) string {
	return "/environments/" + url.PathEscape(environment) + what
}

// PersonPath returns the path of something that belongs to a person, named by
// service and id, handle or e-mail address, such as messaging/jon.abel.
func PersonPath(environment, person, tenant, what string) string {
	service, who, _ := strings.Cut(person, "/")
	path := Of(environment, "/people/"+url.PathEscape(service)+"/"+url.PathEscape(who)+"/"+what)
	if tenant != "" {
		path += "?tenant=" + url.QueryEscape(tenant)
	}
	return path
}
