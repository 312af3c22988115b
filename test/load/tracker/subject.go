package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"understudy/test/load/wire"
	"understudy/test/server"
)

// subject is the server under test with what is needed to call it.
type subject struct {
	*server.Server
	key  string
	conn *wire.Conn // for calls that are not measured
}

// start starts the server on a folder, with flags that name its database.
func start(dir string, flags []string) (*subject, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	srv, err := server.Start(server.Options{Dir: dir, Args: append([]string{"--rate-limits", "off", "--log-level", "warn"}, flags...)})
	if err != nil {
		return nil, err
	}
	sub := &subject{Server: srv}
	if err := sub.connect(); err != nil {
		srv.Kill()
		return nil, err
	}
	return sub, nil
}

func (s *subject) connect() error {
	text, err := os.ReadFile(filepath.Join(s.Dir, "credentials.json"))
	if err != nil {
		return err
	}
	var all struct {
		Tracker struct {
			APIKey string `json:"api_key"`
		} `json:"tracker"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	s.key = all.Tracker.APIKey
	if s.conn != nil {
		s.conn.Close()
	}
	s.conn, err = wire.Dial(s.Listen)
	return err
}

const path = "/tracker/graphql"

// request makes the bytes of a request with that body.
func request(addr, path, key string, body []byte) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, addr, key, len(body), body)
}

func (s *subject) request(body []byte) []byte { return request(s.Listen, path, s.key, body) }

// good is a reply with data and without errors.
func good(status int, body []byte) bool {
	return status == 200 && bytes.HasPrefix(body, []byte(`{"data":{`)) && bytes.HasSuffix(body, []byte("}}"))
}

// call sends one body on a connection and decodes the data of its reply.
func (s *subject) call(c *wire.Conn, body []byte, into any) error {
	status, err := c.Do(s.request(body))
	if err != nil {
		return err
	}
	if !good(status, c.Body) {
		return fmt.Errorf("%.200s: status %d: %.300s", body, status, c.Body)
	}
	return json.Unmarshal(c.Body, &struct{ Data any }{into})
}

// graphql makes the body of a request.
func graphql(query string, variables any) []byte {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err) // of our own maps and strings
	}
	return body
}

func (s *subject) query(query string, variables, into any) error {
	return s.call(s.conn, graphql(query, variables), into)
}
