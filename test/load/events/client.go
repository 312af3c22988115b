package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"understudy/test/server"
)

// conn is a keep-alive connection that sends requests made beforehand.
type conn struct {
	net  net.Conn
	r    *textproto.Reader
	b    *bufio.Reader
	size int // of the last reply's body
}

func dial(addr string) (*conn, error) {
	n, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReader(n)
	return &conn{net: n, b: b, r: textproto.NewReader(b)}, nil
}

func (c *conn) close() { _ = c.net.Close() }

// do sends a request and wants the reply {"ok":true….
func (c *conn) do(request []byte) error {
	if _, err := c.net.Write(request); err != nil {
		return err
	}
	length := 0
	for first := true; ; first = false {
		line, err := c.r.ReadLineBytes()
		if err != nil {
			return err
		}
		if len(line) == 0 && !first {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte(": ")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	c.size = length
	head, err := c.b.Peek(min(length, 11))
	if err != nil {
		return err
	}
	ok := string(head) == `{"ok":true,`
	if !ok {
		body, _ := io.ReadAll(io.LimitReader(c.b, int64(length)))
		return fmt.Errorf("the reply is %.200s", body)
	}
	_, err = c.b.Discard(length)
	return err
}

// environment is one to post in: a channel for each worker.
type environment struct {
	id       string
	m        server.Messaging
	listen   string
	channels []string
}

func newEnvironment(s *server.Server, name string) (*environment, error) {
	c, err := s.Credentials()
	if err != nil {
		return nil, err
	}
	var made struct {
		ID        string
		Messaging server.Messaging
	}
	if err := send(c.Admin.BaseURL+"/environments", c.Admin.Key, map[string]string{"name": name, "rate_limits": "off"}, &made); err != nil {
		return nil, err
	}
	e := &environment{id: made.ID, m: made.Messaging, listen: s.Listen}
	for i := range 8 {
		var ch struct{ Channel struct{ ID string } }
		if err := send(e.m.BaseURL+"/api/conversations.create", e.m.BotToken, map[string]string{"name": fmt.Sprint("c", i)}, &ch); err != nil {
			return nil, err
		}
		e.channels = append(e.channels, ch.Channel.ID)
	}
	return e, nil
}

func (e *environment) subscribe(url string) error {
	return send(e.m.BaseURL+"/api/events/subscribe", e.m.UserToken, map[string]any{"url": url, "event_types": []string{"message"}}, nil)
}

// post returns the body of a post in a worker's channel.
func (e *environment) post(worker int) []byte {
	form := "channel=" + e.channels[worker%len(e.channels)] + "&text=the+quick+brown+fox+jumps+over+the+lazy+dog"
	_, path, _ := strings.Cut(strings.TrimPrefix(e.m.BaseURL, "http://"), "/")
	return fmt.Appendf(nil, "POST /%s/api/chat.postMessage HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, e.listen, e.m.BotToken, len(form), form)
}

func send(url, token string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s: status %d: %s", url, resp.StatusCode, reply)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(reply, into)
}
