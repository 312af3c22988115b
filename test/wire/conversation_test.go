// Package wire plays conversations with the real binary and compares whole
// replies. README.md describes the form of the files; nothing here knows what
// a reply should hold.
package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// conversation is one parsed file.
type conversation struct {
	flags []string
	steps []step
}

// step is a request and its answer.
type step struct {
	name    string
	request message // first: "POST /path"
	answer  message // first: "200"
	partly  bool
}

// message is the common form of both: a first line, headers, a body.
type message struct {
	first  string
	header textproto.MIMEHeader
	body   string
}

func parseConversation(data []byte) (conversation, error) {
	ar := txtar.Parse(data)
	var c conversation
	for line := range strings.Lines(string(ar.Comment)) {
		if rest, ok := strings.CutPrefix(line, "flags:"); ok {
			c.flags = strings.Fields(rest)
		}
	}
	if len(bytes.TrimSpace(ar.Comment)) == 0 {
		return c, fmt.Errorf("no sentence says what the conversation shows")
	}
	if len(ar.Files) == 0 || len(ar.Files)%2 != 0 {
		return c, fmt.Errorf("%d files do not make pairs of request and answer", len(ar.Files))
	}
	for i := 0; i < len(ar.Files); i += 2 {
		s := step{name: ar.Files[i].Name}
		switch kind := ar.Files[i+1].Name; kind {
		case "reply":
		case "partly":
			s.partly = true
		default:
			return c, fmt.Errorf("%q is followed by %q: want reply or partly", s.name, kind)
		}
		var err error
		if s.request, err = parseMessage(ar.Files[i].Data); err != nil {
			return c, fmt.Errorf("%s: %w", s.name, err)
		}
		if s.answer, err = parseMessage(ar.Files[i+1].Data); err != nil {
			return c, fmt.Errorf("answer to %s: %w", s.name, err)
		}
		c.steps = append(c.steps, s)
	}
	return c, nil
}

func parseMessage(data []byte) (message, error) {
	head, body, _ := strings.Cut(strings.TrimRight(string(data), "\n")+"\n", "\n\n")
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.TrimRight(head, "\n") + "\n\n")))
	first, err := r.ReadLine()
	if err != nil {
		return message{}, err
	}
	header, err := r.ReadMIMEHeader()
	return message{first: first, header: header, body: strings.TrimRight(body, "\n")}, err
}

// send makes the request of a step, with what is kept filled in.
func (s step) send(base string, v *values) (*http.Response, error) {
	method, path, ok := strings.Cut(s.request.first, " ")
	if !ok {
		return nil, fmt.Errorf("%q is not METHOD PATH", s.request.first)
	}
	path, err := v.fill(path)
	if err != nil {
		return nil, err
	}
	body, err := v.fill(s.request.body)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(s.request.header.Get("Content-Type"), "multipart/") {
		body = strings.ReplaceAll(body, "\n", "\r\n") + "\r\n"
	}
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, base+path, reader)
	if err != nil {
		return nil, err
	}
	for name, all := range s.request.header {
		for _, value := range all {
			if value, err = v.fill(value); err != nil {
				return nil, err
			}
			req.Header.Add(name, value)
		}
	}
	return (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
}

// play runs one step and returns what differs, with the body received.
func (s step) play(base string, v *values) (differences []string, received string, err error) {
	resp, err := s.send(base, v)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, "", err
	}
	if got := strconv.Itoa(resp.StatusCode); got != s.answer.first {
		differences = append(differences, fmt.Sprintf("status %s, want %s", got, s.answer.first))
	}
	for name, all := range s.answer.header {
		want, err := v.fill(all[0])
		if err != nil {
			return nil, "", err
		}
		if got := resp.Header.Get(name); got != want {
			differences = append(differences, fmt.Sprintf("header %s: %q, want %q", name, got, want))
		}
	}
	more, err := v.compareBody(body, s.answer.body, s.partly)
	return append(differences, more...), string(body), err
}
