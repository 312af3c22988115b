package args

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/fault"
)

func request(method, target, contentType, body string) (*http.Request, []byte) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r, []byte(body)
}

const (
	jsonType  = "application/json"
	formType  = "application/x-www-form-urlencoded"
	multiType = "multipart/form-data; boundary=x"
)

func part(name, value string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

// Each row is what one client sends, from the table of the fact sheet.
func TestReadWhatClientsSend(t *testing.T) {
	for _, c := range []struct {
		name, method, target, kind, body string
		authorization, token             string
		strings                          map[string]string
		lists                            map[string][]string
		bools                            map[string]bool
		warnings                         []string
	}{
		{
			name: "node: form, header and field token, JSON in fields", method: "POST", target: "/api/chat.postMessage", kind: formType,
			body:          `token=xoxb-1&channel=C1&text=a%20b&blocks=%5B%7B%22type%22%3A%22divider%22%7D%5D&users=%5B%22U1%22%2C%22U2%22%5D&mrkdwn=false&team_id=T1`,
			authorization: "Bearer xoxb-1", token: "xoxb-1",
			strings: map[string]string{"channel": "C1", "text": "a b", "blocks": `[{"type":"divider"}]`, "team_id": "T1"},
			lists:   map[string][]string{"users": {"U1", "U2"}}, bools: map[string]bool{"mrkdwn": false},
		},
		{
			name: "node: auth.test, form type, no body", method: "POST", target: "/api/auth.test", kind: formType,
			authorization: "bearer xoxb-1", token: "xoxb-1",
		},
		{
			name: "node: a Buffer makes it multipart", method: "POST", target: "/", kind: multiType,
			body:    part("channel", "C1") + "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nbytes\r\n" + part("text", "a+b%20\xff\x00") + "--x--\r\n",
			strings: map[string]string{"channel": "C1", "text": "a+b%20\uFFFD"},
		},
		{
			name: "python: JSON with charset", method: "POST", target: "/", kind: "application/json;charset=utf-8",
			body:          `{"channel":"C1","text":"h\u00e9","unfurl_links":true,"thread_ts":1503435956.000247,"metadata":{"event_type":"x"},"users":["U1","U2"],"limit":2,"nothing":null}`,
			authorization: "Bearer  xoxb-2 ", token: "xoxb-2",
			strings: map[string]string{"text": "hé", "thread_ts": "1503435956.000247", "metadata": `{"event_type":"x"}`, "limit": "2"},
			lists:   map[string][]string{"users": {"U1", "U2"}}, bools: map[string]bool{"unfurl_links": true},
		},
		{
			name: "python: auth.test, JSON type, empty body", method: "POST", target: "/", kind: "application/json;charset=utf-8",
			authorization: "Bearer t", token: "t",
		},
		{
			name: "python: form, lists joined, booleans as digits", method: "POST", target: "/", kind: formType,
			body:  "types=public_channel%2C+private_channel&exclude_archived=1&inclusive=0",
			lists: map[string][]string{"types": {"public_channel", "private_channel"}},
			bools: map[string]bool{"exclude_archived": true, "inclusive": false},
		},
		{
			name: "python async: query on POST, no body", method: "POST", target: "/api/conversations.join?channel=C1&limit=5", kind: formType,
			authorization: "Bearer t", token: "t", strings: map[string]string{"channel": "C1", "limit": "5"},
		},
		{
			name: "slack-go: token field alone, empty strings", method: "POST", target: "/", kind: formType,
			body: "cursor=&team_id=&token=xoxb-3&limit=200", token: "xoxb-3", strings: map[string]string{"cursor": "", "limit": "200"},
		},
		{
			name: "slack-go: apps.connections.open, JSON type, no body", method: "POST", target: "/", kind: jsonType,
			authorization: "Bearer xapp-1", token: "xapp-1",
		},
		{
			name: "MCP server: GET with JSON type", method: "GET", target: "/?exclude_archived=true&limit=10&token=q", kind: jsonType, body: "{",
			token: "q", strings: map[string]string{"limit": "10"}, bools: map[string]bool{"exclude_archived": true},
		},
		{
			name: "MCP server: JSON without charset", method: "POST", target: "/", kind: jsonType, body: `{"channel":"C1"}`,
			strings: map[string]string{"channel": "C1"}, warnings: []string{"missing_charset"},
		},
		{
			name: "body wins over query, header over body", method: "POST", target: "/?channel=C1&ts=1&token=q", kind: formType, body: "channel=C2&token=b",
			token: "b", strings: map[string]string{"channel": "C2", "ts": "1"},
		},
		{
			name: "form with a charset", method: "POST", target: "/", kind: formType + "; charset=UTF-8", body: "a=1&a=2",
			strings: map[string]string{"a": "2"}, warnings: []string{"superfluous_charset"},
		},
		{name: "plain text is a form", method: "POST", target: "/", kind: "text/plain;charset=UTF-8", body: "a=x+y", strings: map[string]string{"a": "x y"}},
		{
			name: "latin form", method: "POST", target: "/", kind: formType + "; charset=ISO-8859-1", body: "a=caf%E9&b=caf\xe9",
			strings: map[string]string{"a": "café", "b": "café"}, warnings: []string{"superfluous_charset"},
		},
		{name: "latin JSON", method: "POST", target: "/", kind: jsonType + "; charset=iso-8859-1", body: "{\"a\":\"caf\xe9\"}", strings: map[string]string{"a": "café"}},
		{
			name: "latin multipart", method: "POST", target: "/", kind: multiType + "; charset=iso-8859-1", body: part("a", "\xe9") + "--x--",
			strings: map[string]string{"a": "é"},
		},
		{
			name: "foreign bytes", method: "POST", target: "/?q=%ff&r=50%", kind: jsonType + "; charset=utf-8", body: "{\"a\":\"x\\u0000\xff\\ud800\",\"b\":[\"\\u0000\"]}",
			strings: map[string]string{"a": "x\uFFFD\uFFFD", "b": `[""]`, "q": "\uFFFD", "r": "50%"},
		},
		{name: "white space for a body", method: "POST", target: "/", kind: jsonType, body: " \n", warnings: []string{"missing_charset"}},
		{name: "another scheme leaves the field", method: "POST", target: "/", kind: formType, body: "token=f", authorization: "Basic eDp5", token: "f"},
		{name: "multipart without parts", method: "POST", target: "/", kind: multiType, body: "--x--\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, body := request(c.method, c.target, c.kind, c.body)
			if c.authorization != "" {
				r.Header.Set("Authorization", c.authorization)
			}
			a, err := Read(r, body)
			if err != nil {
				t.Fatal(err)
			}
			if a.Token != c.token {
				t.Errorf("token %q, want %q", a.Token, c.token)
			}
			for name, want := range c.strings {
				if got, ok := a.String(name); got != want || !ok {
					t.Errorf("%s = %q, %v; want %q", name, got, ok, want)
				}
			}
			for name, want := range c.lists {
				if got, _ := a.List(name); !slices.Equal(got, want) {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
			for name, want := range c.bools {
				if got := a.Bool(name, !want); got != want {
					t.Errorf("%s = %v", name, got)
				}
			}
			if !slices.Equal(a.Warnings, c.warnings) {
				t.Errorf("warnings %q, want %q", a.Warnings, c.warnings)
			}
		})
	}
}

func TestReadRefusals(t *testing.T) {
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, c := range []struct {
		target, kind, body string
		want               fault.Reason
	}{
		{"/", "application/xml", "<a/>", InvalidPostType},
		{"/", "image/png; charset", "x", InvalidPostType},
		{"/", "", "a=1", MissingPostType},
		{"/", jsonType + "; charset=utf-16", "{}", InvalidCharset},
		{"/", formType, "a=%zz", InvalidFormData},
		{"/", formType, "a=%2", InvalidFormData},
		{"/", formType, "%2=a", InvalidFormData},
		{"/", formType, strings.Repeat("a&", 1001), InvalidFormData},
		{"/", "multipart/form-data", "--x--", InvalidFormData},
		{"/", multiType, part("a", "b"), InvalidFormData},
		{"/", multiType, "garbage", InvalidFormData},
		{"/", jsonType, "{", InvalidJSON},
		{"/", jsonType, "a=1", InvalidJSON},
		{"/", jsonType, `{"a":` + deep + `}`, InvalidJSON},
		{"/", jsonType, `[1]`, JSONNotObject},
		{"/", jsonType, `null`, JSONNotObject},
		{"/", jsonType, `"x"`, JSONNotObject},
		{"/", jsonType, `{"a b":1}`, InvalidArgName},
		{"/", jsonType, `{"":1}`, InvalidArgName},
		{"/", formType, strings.Repeat("a", 101) + "=1", InvalidArgName},
		{"/", "text/plain", `{"a":1}`, InvalidArgName},
		{"/?a.b=1", formType, "", InvalidArgName},
		{"/", formType, "users%5B%5D=U1", InvalidArrayArg},
		{"/?users[0]=U1", formType, "", InvalidArrayArg},
		{"/", multiType, part("users[]", "b") + "--x--", InvalidArrayArg},
	} {
		r, body := request("POST", c.target, c.kind, c.body)
		if _, err := Read(r, body); err == nil || err.Reason != c.want || err.Kind != fault.Invalid {
			t.Errorf("%s %.40q: %v, want %s", c.kind, c.body, err, c.want)
		}
	}
	r, body := request("POST", "/", formType, "a=123")
	if _, err := Read(r, body[:3]); err == nil || err.Reason != RequestTimeout {
		t.Errorf("truncated body: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a=1&token=%41", jsonType, `{"a":[1,"\u0000"],"b":"x\ud83d"}`)
	f.Add("", formType, "a=%e9+&b=[\"x\"]&c=,a, b")
	f.Add("", multiType, part("a", "\xff")+"--x--\r\n")
	f.Add("", formType+"; charset=iso-8859-1", "a=%e9\x00")
	f.Fuzz(func(t *testing.T, query, kind, body string) {
		r := httptest.NewRequest("POST", "/", nil)
		r.URL.RawQuery = query
		r.Header["Content-Type"] = []string{kind}
		a, err := Read(r, []byte(body))
		if err != nil {
			if err.Reason == "" || err.Kind != fault.Invalid {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, f := range a.fields {
			name := string(f.name)
			s, _ := a.String(name)
			checkText(t, s)
			raw, _ := a.Raw(name)
			checkText(t, string(raw))
			items, _ := a.List(name)
			for _, item := range items {
				checkText(t, item)
			}
			a.Bool(name, true)
			_, _, _ = a.Int(name)
		}
		checkText(t, a.Token)
	})
}
