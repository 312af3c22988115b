package callback

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"understudy/internal/messaging"
	"understudy/internal/platform/outbound"
)

// The verifier of an official client accepts what is signed here, and nothing else.
func TestSignaturesVerify(t *testing.T) {
	body := []byte(`{"text":"a & b <c> é"}`)
	r := signed("http://x", jsonType, "secret", body)
	h := http.Header{}
	for name, value := range r.Header {
		h.Set(name, value)
	}
	check := func(secret string, body []byte) error {
		v, err := slack.NewSecretsVerifier(h, secret)
		if err != nil {
			return err
		}
		if _, err := v.Write(body); err != nil {
			return err
		}
		return v.Ensure()
	}
	if err := check("secret", body); err != nil {
		t.Error(err)
	}
	if check("other", body) == nil || check("secret", append(body, ' ')) == nil {
		t.Error("a wrong secret or body passed")
	}
	// The upstream's published example.
	const sample = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&" +
		"user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F" +
		"T1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	if got := Sign("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", []byte(sample)); got != "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503" {
		t.Error(got)
	}
}

func TestRetryReasons(t *testing.T) {
	for o, want := range map[outbound.Outcome]string{outbound.TimedOut: "http_timeout", outbound.Redirected: "too_many_redirects",
		outbound.Unreachable: "connection_failed", outbound.Broken: "connection_failed", outbound.TLSFailed: "ssl_error",
		outbound.Answered: "http_error", outbound.Forbidden: "unknown_error"} {
		if got := retryReason(o); got != want {
			t.Errorf("%s: %s, want %s", o, got, want)
		}
	}
}

func TestChallenges(t *testing.T) {
	for body, want := range map[string]string{"abc": "abc", " abc\n": "abc", "challenge=abc": "abc", `{"challenge":"abc"}`: "abc", `{"challenge":1}`: "",
		"{": "", "": "", `"abc"`: `"abc"`} {
		if got := challengeIn([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestEmailsLeave(t *testing.T) {
	out := WithoutEmail([]byte(`{"type":"user_change","user":{"id":"U1","profile":{"email":"a@b.example","title":"<x>"}},"event_ts":"1.000001"}`))
	var e struct {
		Type string
		User struct {
			ID      string
			Profile map[string]string
		}
	}
	if err := json.Unmarshal(out, &e); err != nil || e.Type != "user_change" || e.User.ID != "U1" || len(e.User.Profile) != 1 || e.User.Profile["title"] != "<x>" {
		t.Errorf("%s %v", out, err)
	}
	if got := string(WithoutEmail([]byte(`{"user":1}`))); got != "{}" {
		t.Error(got)
	}
}

func TestPayloads(t *testing.T) {
	for name, row := range map[string]struct {
		body string
		want messaging.Answer
		bad  bool
	}{
		"json": {`{"text":"x","response_type":"in_channel","thread_ts":1.5,"link_names":1,"mrkdwn":false}`,
			messaging.Answer{InChannel: true, Message: messaging.PostMessage{Text: "x", ThreadTS: "1.5", LinkNames: true, NoMrkdwn: true}}, false},
		"form":           {`payload=%7B%22text%22%3A%22x%22%7D`, messaging.Answer{Message: messaging.PostMessage{Text: "x"}}, false},
		"json of a form": {`{"text":"a&payload={}"}`, messaging.Answer{Message: messaging.PostMessage{Text: "a&payload={}"}}, false},
		"json as form":   {`{"text":"x"}`, messaging.Answer{Message: messaging.PostMessage{Text: "x"}}, false},
		"replace":        {`{"replace_original":true,"text":"x"}`, messaging.Answer{ReplaceOriginal: true, Message: messaging.PostMessage{Text: "x"}}, false},
		"delete as text": {`{"delete_original":"true"}`, messaging.Answer{DeleteOriginal: true}, false},
		"mark":           {"\uFEFF{\"text\":\"x\"}", messaging.Answer{Message: messaging.PostMessage{Text: "x"}}, false},
		"empty":          {``, messaging.Answer{}, true},
		"null":           {`null`, messaging.Answer{}, true},
		"list":           {`[]`, messaging.Answer{}, true},
		"text a list":    {`{"text":[]}`, messaging.Answer{}, true},
	} {
		got, err := ReadPayload([]byte(row.body))
		if (err != nil) != row.bad {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(row.want)
		if !row.bad && string(a) != string(b) {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
}

// Reading any body returns a message or a refusal.
func FuzzReadPayload(f *testing.F) {
	for _, body := range []string{`{"text":"x","blocks":"[]","attachments":[{}],"metadata":null}`, `payload={"text":1}`, `{"thread_ts":1e999}`, `plain`, `{`, `"`, "payload=%"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if _, err := ReadPayload([]byte(body)); err == nil && !strings.ContainsAny(body, "{%") {
			t.Fatal("a message of a body without an object")
		}
		_, _, _ = ReadReply([]byte(body))
		_ = challengeIn([]byte(body))
		_ = WithoutEmail([]byte(body))
		_ = readText([]byte(body), new(string))
	})
}

func TestHandshakeNeedsTheChallenge(t *testing.T) {
	c := outbound.New(true)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := Handshake(ctx, c, "http://127.0.0.1:9/", messaging.Secrets{}, "abc"); err == nil {
		t.Error("a dead address passed")
	}
}

// An answer that ends early is ignored: no part of it is shown.
func TestHalfAnAnswerIsNone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("half"))
	}))
	defer s.Close()
	sender := Sender{Client: outbound.New(true)}
	if reply, err := sender.post(context.Background(), s.URL, "secret", url.Values{}, VerificationFailed); err == nil {
		t.Errorf("%q passed for an answer", reply.Body)
	}
}
