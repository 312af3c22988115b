package httpkit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/budget"
)

// HTTP requires a challenge in each reply with status 401.
func TestARefusedCredentialHasAChallenge(t *testing.T) {
	for own, want := range map[string]string{"": "Bearer", "ApiKey": "ApiKey"} {
		w := httptest.NewRecorder()
		if own != "" {
			w.Header().Set("WWW-Authenticate", own)
		}
		WriteJSON(w, http.StatusUnauthorized, nil)
		if got := w.Header().Get("WWW-Authenticate"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	w := httptest.NewRecorder()
	if WriteRaw(w, http.StatusForbidden, []byte("{}")); w.Header().Get("WWW-Authenticate") != "" {
		t.Error("a reply with another status has a challenge")
	}
}

func TestDecodeJSON(t *testing.T) {
	type in struct {
		Name  string   `json:"name"`
		Count int      `json:"count"`
		Tags  []string `json:"tags"`
	}
	for body, want := range map[string]string{
		"":                                 ``,
		"  \n":                             ``,
		`{}`:                               ``,
		`{"name":"x","more":{"a":[1]}}`:    ``,
		`{"name":"a \\u0000 b"}`:           ``, // an escaped backslash, not a NUL
		`{"name":1}`:                       `The value of "name" must be of type string.`,
		`{"count":"1"}`:                    `The value of "count" must be of type integer.`,
		`{"tags":"a"}`:                     `The value of "tags" must be of type array.`,
		`[]`:                               `The request body must be a JSON object.`,
		`"text"`:                           `The request body must be a JSON object.`,
		`{`:                                `The request body is not valid JSON.`,
		`{} {}`:                            `The request body is not valid JSON.`,
		`{"name":"a\u0000b"}`:              `Text must not hold the NUL character.`,
		"{\"name\":\"\xff\"}":              `The request body is not UTF-8.`,
		`{"x":` + strings.Repeat("[", 200): `The JSON is nested too deeply.`,
	} {
		var v in
		err := DecodeJSON(t.Context(), []byte(body), &v)
		if want == "" {
			if err != nil {
				t.Errorf("%.40q: %v", body, err)
			}
			continue
		}
		if !errors.Is(err, BadJSON) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", body, err, want)
		}
	}
}

// A body that grows is counted with the copy that it grows out of.
func TestAGrowingBodyIsCountedWithItsOldCopy(t *testing.T) {
	for _, announced := range []int64{-1, 20 << 20} {
		ctx, end := context.WithCancel(t.Context())
		b, err := ReadAll(ctx, io.LimitReader(zeros{}, 20<<20), announced, 1<<20, 20<<20)
		held := budget.Held()
		end()
		if err != nil || len(b) != 20<<20 || held < 35<<20 || held > 48<<20 {
			t.Errorf("%d bytes, %d held, %v", len(b), held, err)
		}
		for budget.Held() > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// A client that sends a body whole before it reads gets the reply that the body is too
// large, whether it announced the length or not.
func TestWhoSendsTooMuchReadsTheReply(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := ReadBody(r, 1<<20); errors.Is(err, TooLarge) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	}))
	defer server.Close()
	const size = 16 << 20
	body := strings.Repeat("x", size)
	for header, text := range map[string]string{
		fmt.Sprintf("Content-Length: %d", size): body,
		"Transfer-Encoding: chunked":            fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, body),
	} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\n"+header+"\r\n\r\n"+text); err != nil {
			t.Errorf("%s: the body could not be sent: %v", header, err)
			continue
		}
		reply, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || reply.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %v %v", header, reply, err)
		}
		if err == nil {
			_ = reply.Body.Close()
		}
	}
	// Who announces far too much is refused before it sends anything.
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || reply.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatalf("%v %v", reply, err)
	}
	_ = reply.Body.Close()
}
