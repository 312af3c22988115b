package mcpkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// piped returns the replies of a server to lines, by id: results as "ok", errors as
// their codes. The server must not end with an error.
func piped(t *testing.T, version string, lines ...string) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	greeting := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	in, send := io.Pipe()
	go func() {
		_, _ = io.WriteString(send, greeting+"\n")
		time.Sleep(50 * time.Millisecond) // until the version is agreed
		_, _ = io.WriteString(send, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+strings.Join(lines, "\n"))
		_ = send.Close()
	}()
	begun := time.Now()
	if err := zooServer("me").serve(t.Context(), in, &out); err != nil {
		t.Errorf("%q ends the server: %v", lines, err)
	}
	if took := time.Since(begun); took > drainTime/2 {
		t.Errorf("%q: the end took %s", lines, took)
	}
	replies := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		for _, raw := range batch([]byte(line)) {
			var m struct {
				ID     json.RawMessage
				Result json.RawMessage
				Error  struct{ Code int }
			}
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			what := "ok"
			if m.Result == nil {
				what = fmt.Sprint(m.Error.Code)
			}
			replies[string(m.ID)] = append(replies[string(m.ID)], what)
		}
	}
	if !slices.Equal(replies["1"], []string{"ok"}) {
		t.Errorf("the greeting has the replies %v", replies["1"])
	}
	delete(replies, "1")
	return replies
}

const ping = `{"jsonrpc":"2.0","id":9,"method":"ping"}`

// Whatever a client sends, the server says what is wrong with it and goes on.
func TestNoLineEndsTheServer(t *testing.T) {
	for line, want := range map[string]string{
		`{nope`:                    "null:-32700",
		`[]`:                       "null:-32600",
		`""`:                       "null:-32600",
		`1`:                        "null:-32600",
		`null`:                     "null:-32600",
		`{}`:                       "null:-32600",
		`{"id":6,"method":"ping"}`: "6:-32600",
		`{"jsonrpc":"1.0","id":"a","method":"ping"}`:                       `"a":-32600`,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:                      "null:-32600",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                        "null:-32600",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                      "null:-32600",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                       "null:-32600",
		`{"jsonrpc":"2.0","id":9007199254740993,"method":""}`:              "null:-32600",
		`{"jsonrpc":"2.0","id":7,"method":5}`:                              "7:-32600",
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":5}`:              "7:-32600",
		`{"jsonrpc":"2.0","id":7}`:                                         "7:-32600",
		`{"jsonrpc":"2.0","id":7,"method":""}`:                             "7:-32601",
		`{"jsonrpc":"2.0","id":7,"method":"nonsense"}`:                     "7:-32601",
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                             "",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-1}}`:                  "",
		`{"jsonrpc":"2.0","method":"notifications/nonsense"}`:              "",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`: "",
		`{"jsonrpc":"2.0","ID":7,"method":"notifications/nonsense"}`:       "",
		`[` + ping[:len(ping)-1] + `},1]`:                                  "null:-32600",
		`[{"jsonrpc":"2.0","id":2,"method":"ping"}]`:                       "null:-32600",
		`[{"jsonrpc":"2.0","id":null,"result":{}}]`:                        "null:-32600",
		strings.Repeat("x", maxRequest+1):                                  "null:-32600",
		strings.Repeat(" ", 2*maxRequest) + ping:                           "null:-32600",
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}`:       "7:-32600", // for the second time
	} {
		got := piped(t, "2025-06-18", line, ping)
		shown := line[:min(80, len(line))]
		if !slices.Equal(got["9"], []string{"ok"}) {
			t.Errorf("%s: a ping behind it has the replies %v", shown, got["9"])
		}
		delete(got, "9")
		var all []string
		for id, replies := range got {
			all = append(all, id+":"+strings.Join(replies, ","))
		}
		if strings.Join(all, " ") != want {
			t.Errorf("%s: %v, want %s", shown, all, want)
		}
	}
}

// Versions of the protocol with batches still have them.
func TestBatchesOfEarlierVersions(t *testing.T) {
	got := piped(t, "2025-03-26", `[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
		`[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"ping"}]`, ping)
	if fmt.Sprint(got) != "map[2:[ok] 3:[ok] 9:[ok] null:[-32600]]" {
		t.Error(got)
	}
}

// A cancelled request has no reply, and a request whose id is still in use is refused.
func TestCancelledRequestsHaveNoReply(t *testing.T) {
	sloth := strings.Replace(call("sloth", "{}"), `"id":1`, `"id":2`, 1)
	if got := piped(t, "2025-06-18", sloth, sloth, ping); fmt.Sprint(got) != "map[2:[ok] 9:[ok] null:[-32600]]" {
		t.Errorf("twice: %v", got)
	}
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	if got := piped(t, "2025-06-18", sloth, cancel, ping); fmt.Sprint(got) != "map[9:[ok]]" {
		t.Errorf("cancelled: %v", got)
	}
	if got := piped(t, "2025-06-18", cancel, ping); fmt.Sprint(got) != "map[9:[ok]]" {
		t.Errorf("cancelled before it was sent: %v", got)
	}
}

// Over HTTP a text that is no message has the error of JSON-RPC for it, with the id
// that it has, and unknown notifications are ignored.
func TestMalformedMessagesOverHTTP(t *testing.T) {
	h, _ := door()
	for body, want := range map[string]string{
		`{nope`: "400 -32700 null",
		`[]`:    "400 -32600 null",
		`1`:     "400 -32600 null",
		`{"jsonrpc":"1.0","id":5,"method":"ping"}`:            "400 -32600 5",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:          "400 -32600 null",
		`{"jsonrpc":"2.0","id":5,"method":"tools/call"}`:      "400 -32600 5",
		`{"jsonrpc":"2.0","id":5,"method":"nonsense"}`:        "200 -32601 5",
		`{"jsonrpc":"2.0","method":"notifications/nonsense"}`: "202 0 ",
	} {
		w := ask(h, "Bearer good", body)
		var m struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		_ = json.Unmarshal(w.Body.Bytes(), &m)
		if got := fmt.Sprint(w.Code, " ", m.Error.Code, " ", string(m.ID)); got != want {
			t.Errorf("%s: %s, want %s: %s", body, got, want, w.Body)
		}
	}
}
