package rest

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// Whatever arrives, the stored texts are valid JSON, contain no credential, and can be
// rendered.
func FuzzDecode(f *testing.F) {
	const credential = "sk_fuzz"
	for _, s := range []string{
		`{"event_id":"a","session_id":"oauth:sk_fuzz:t","metadata":{"checkpoint.a":1,"h":{"cookie":"x"}},"checkpoints":[{"name":"x","timestamp":2}]}`,
		`{"latency":1e999,"args":{"a":[1,{}]},"result":"\ud800","success":false,"timestamp":0}`,
		`{"metadata":{"a":"\u0000\"","\u0007":1,"b":"\ud83d\ude00\u2028\""},"checkpoints":[{"name":"x","ms":1,"metadata":{"a":"\u0001\""}}]}`,
		`{"user_data":{"userId":7,"token":"x","plan":["a"]},"tools":["t"],"ip":"","metadata":{"a":null}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return
		}
		c := caller{lenient: true, credential: credential}
		var p fastjson.Parser
		o, err := parseObject(&p, b)
		if err != nil {
			return
		}
		if e, err := decodeEvent(o, c); err == nil {
			out := append(appendEvent([]byte{'{'}, &e), '}')
			if !json.Valid(out) {
				t.Errorf("%q is shown as %q", b, out)
			}
			if strings.Contains(e.Args+e.Result+e.Metadata+e.Checkpoints+e.Session, credential) {
				t.Errorf("%q is kept with the credential", b)
			}
		}
		if o, err = parseObject(&p, b); err != nil {
			t.Fatal(err)
		}
		if s, err := decodeSession(o, c); err == nil {
			if out := appendSession(nil, &s, nil); !json.Valid(out) {
				t.Errorf("%q is shown as %q", b, out)
			}
		}
		if out := batchReply([]result{{id: string(b)}, {reason: string(b)}}, 1); !json.Valid(out) {
			t.Errorf("a result with %q: %q", b, out)
		}
	})
}
