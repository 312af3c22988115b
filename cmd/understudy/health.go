package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthCmd has the options of serve that determine the server's address, so that
// the same environment variables serve both.
type healthCmd struct {
	Listen  string        `default:"127.0.0.1:4400" help:"Address of the server, as given to serve --listen."`
	TLSCert string        `name:"tls-cert" help:"Certificate file of the server. With it the request is sent over HTTPS."`
	Timeout time.Duration `default:"2s" help:"Longest time to wait for the server's answer."`
}

// Run returns an error unless the server reports that it is ready.
func (c *healthCmd) Run() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return usageError{fmt.Errorf("--listen must be HOST:PORT, not %q", c.Listen)}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	// The certificate is for the public host name, but this connects to the local
	// address.
	client := http.Client{Timeout: c.Timeout, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // nothing secret is sent
	reply, err := client.Get(scheme + "://" + net.JoinHostPort(host, port) + "/readyz")
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = reply.Body.Close() }()
	var said struct{ Status string }
	if err := json.NewDecoder(reply.Body).Decode(&said); err != nil || said.Status == "" {
		return fmt.Errorf("%s answered with status %d; check that an Understudy server listens there", net.JoinHostPort(host, port), reply.StatusCode)
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", said.Status)
	}
	fmt.Println(said.Status)
	return nil
}
