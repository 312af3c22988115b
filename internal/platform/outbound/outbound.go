// Package outbound sends requests to addresses that users have configured:
// webhooks, slash commands, interactions. It follows no redirects, bounds time
// and reply, verifies TLS, and rejects private addresses unless configured
// otherwise.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"understudy/internal/platform/clock"
)

const (
	// MaxReply is the most bytes of a reply that are read.
	MaxReply = 64 << 10
	// places is the number of concurrent queued requests.
	places = 64
	// idleTime is how long an idle connection is kept: less than the five seconds
	// after which a Node server closes it, perhaps just when it is reused.
	idleTime = 4 * time.Second
)

// Request is a POST to an address.
type Request struct {
	URL     string
	Header  map[string]string
	Body    []byte
	Timeout time.Duration // until the reply has arrived
	// Secrets are texts of the request that must not be stored if a reply contains
	// them.
	Secrets []string
	// Repeatable means that the receiver tolerates duplicates: the request is sent
	// again if a reused connection turns out to be closed.
	Repeatable bool
}

// Outcome is the result of a request.
type Outcome string

// The outcomes.
const (
	Answered    Outcome = "answered"    // with any status except a redirect
	Redirected  Outcome = "redirected"  // a redirect, which is not followed
	TimedOut    Outcome = "timed_out"   // no reply in time
	Unreachable Outcome = "unreachable" // no connection
	Broken      Outcome = "broken"      // the connection ended before a reply
	TLSFailed   Outcome = "tls_failed"
	Forbidden   Outcome = "forbidden" // a private address, or not a web address
)

// Reply is the result of a request.
type Reply struct {
	Outcome Outcome
	Status  int // when Answered or Redirected
	Header  http.Header
	Body    []byte // the first MaxReply bytes
	Cut     bool   // the body is incomplete, because of the timeout or otherwise
	Took    time.Duration
	Error   string // for people, unless Answered
}

// OK reports whether the receiver accepted the request: any status from 200 to 299.
func (r Reply) OK() bool { return r.Outcome == Answered && r.Status >= 200 && r.Status <= 299 }

// Client sends requests. It is safe for concurrent use.
type Client struct {
	http         *http.Client
	dialer       *net.Dialer
	queue        chan struct{}
	allowPrivate bool
	rewrites     []rewrite
}

// New returns a client; allowPrivate allows private and loopback addresses.
func New(allowPrivate bool) *Client {
	c := &Client{queue: make(chan struct{}, places), allowPrivate: allowPrivate}
	c.dialer = &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: c.control}
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext: c.dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxIdleConns: places, MaxIdleConnsPerHost: 16, IdleConnTimeout: idleTime,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Queue is Send for requests that can wait: at most places of them run at a time.
func (c *Client) Queue(ctx context.Context, r Request) Reply {
	select {
	case c.queue <- struct{}{}:
	case <-ctx.Done():
		return Reply{Outcome: Broken, Error: ctx.Err().Error()}
	}
	defer func() { <-c.queue }()
	return c.Send(ctx, r)
}

// Send posts a request and waits for its reply, which also contains errors.
func (c *Client) Send(ctx context.Context, r Request) Reply {
	began := clock.Real()
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target(r.URL), bytes.NewReader(r.Body))
	if err != nil || !webURL(req.URL) {
		return Reply{Outcome: Forbidden, Error: "the address is no http or https URL"}
	}
	for name, value := range r.Header {
		req.Header[name] = []string{value} // unchanged case: signatures depend on the spelling of header names
	}
	if r.Repeatable {
		req.Header["Idempotency-Key"] = nil // makes net/http repeat the request; the header itself is not sent
	}
	resp, err := c.http.Do(req)
	if err != nil {
		reply := failure(err)
		reply.Took = clock.Real().Sub(began)
		return reply
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxReply))
	reply := Reply{Outcome: Answered, Status: resp.StatusCode, Header: resp.Header, Body: body, Cut: err != nil, Took: clock.Real().Sub(began)}
	if reply.Status >= 300 && reply.Status <= 399 {
		reply.Outcome, reply.Error = Redirected, "redirects are not followed"
	}
	return reply
}

// Reachable reports whether a server accepts connections at a URL's address.
func (c *Client) Reachable(ctx context.Context, text string) bool {
	u, err := url.Parse(c.target(text))
	if err != nil || !webURL(u) {
		return false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := c.dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func webURL(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// failure converts an error of the client to a reply.
func failure(err error) Reply {
	r := Reply{Outcome: Broken, Error: "the connection ended before a reply came"}
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var authority x509.UnknownAuthorityError
	var op *net.OpError
	var dns *net.DNSError
	var ne net.Error
	switch {
	case errors.Is(err, errPrivate):
		r.Outcome, r.Error = Forbidden, errPrivate.Error()
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &authority):
		r.Outcome, r.Error = TLSFailed, "TLS failed: "+unwrapURL(err).Error()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &ne) && ne.Timeout():
		r.Outcome, r.Error = TimedOut, "no reply came in time"
	case errors.As(err, &dns): // its text names the DNS server
		r.Outcome, r.Error = Unreachable, "no connection: lookup "+dns.Name+": "+dns.Err
	case errors.As(err, &op) && op.Op == "dial":
		r.Outcome, r.Error = Unreachable, "no connection: "+op.Err.Error()
	}
	return r
}

func unwrapURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}
