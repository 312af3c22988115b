package record

import (
	"fmt"
	"io"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

func add(rec *Recorder, body, reply string) {
	r := httptest.NewRequest("POST", "/api/x?token=xoxb-123456-abcdef&a=1", strings.NewReader(body))
	t := NewTap(httptest.NewRecorder(), r)
	_, _ = io.ReadAll(r.Body)
	_, _ = io.WriteString(t, reply)
	rec.Add(t, Request{Service: "messaging", Method: "POST", Path: "/api/x"})
}

func TestNoSecretIsShown(t *testing.T) {
	rec := New(clock.System())
	for _, body := range []string{
		`{"password":"hunter22","x":{"refresh_token": "rt_abcdefghijklmnopqrstuvwxyz"},"text":"hi"}`,
		`{"password":"hun\"ter22","text":"hi"}`,
		`email=a%40b.example&password=hunter22&text=hi`,
		`{"payload":"{\"client_secret\":\"hunter22\"}","text":"hi"}`,
		`{"query":"mutation { webhookUpdate(id: \"1\", input: {secret: \"hunter22\", label: \"hi\"}) { success } }"}`,
		`{"query":"mutation { webhookUpdate(id: \"1\", input: {secret:\"a \\\"hunter22\", label: \"hi\"}) { success } }"}`,
		`{"query":"mutation { webhookUpdate(id: \"1\", input: {secret : \"\"\"a\"hunter22\"\"\", label: \"hi\"}) { success } }"}`,
		`{"text":"hi","data":{"it":{"alias":"trk_wh_hunter22hunter22"}}}`,
		`{"query":"mutation{a(input:{secret:\"hunter22\",url:\"u\"}){w{s:secret}}} # hi","variables":{"x":1}}`,
		`{"query":"mutation($s:String!){a(input:{secret: $s}){ok}}","variables":{"s":"hunter22","y":"hi"}}`,
		`{"query":"{hooks{alias:\n  secret}} # hi"}`,
		`{"query":"mutation{a(secret:\"\"\"hunter22\"\"\",text:\"hi\")}"}`,
		`{"url":"http://a.example/?x=1&token=hunter22","text":"hi"}`,
		`{"note":"my token is xoxp-1-2-3-hunter22abc","text":"hi"}`,
	} {
		add(rec, body, `{"ok":true,"bot_token":"xoxb-hunter22","signing_secret":"hunter22"}`)
		got := rec.List(Filter{Limit: 1})[0]
		all := got.Query + string(got.Body) + string(got.Reply)
		for _, secret := range []string{"hunter22", "hun\\\"ter22", "ter22", "rt_abc", "xoxb-123"} {
			if strings.Contains(all, secret) {
				t.Errorf("%s is shown in %s", secret, all)
			}
		}
		if !strings.Contains(string(got.Body), "hi") || got.Status != 200 {
			t.Errorf("the rest is gone: %s", got.Body)
		}
	}
}

func TestTheRecordingIsBounded(t *testing.T) {
	rec := New(clock.System())
	for i := range Recent.Lines + 500 {
		add(rec, fmt.Sprint(i), "ok")
	}
	got := rec.List(Filter{Limit: 2 * Recent.Lines})
	if len(got) != Recent.Lines || string(got[0].Body) != fmt.Sprint(Recent.Lines+499) {
		t.Fatalf("%d kept, newest %s", len(got), got[0].Body)
	}
	for range 200 {
		add(rec, strings.Repeat("x", 100_000), "ok")
	}
	got = rec.List(Filter{Limit: 2 * Recent.Lines})
	whole := 0
	for _, r := range got {
		if !r.Dropped {
			whole += len(r.Body)
		}
	}
	if len(got) != Recent.Lines || len(got[0].Body) != MaxBody || whole > Recent.Bytes || whole < Recent.Bytes-2*MaxBody {
		t.Fatalf("%d kept, %d bytes of bodies", len(got), whole)
	}
	if last := got[len(got)-1]; !last.Dropped || len(last.Body) != 0 || last.Path != "/api/x" {
		t.Errorf("the oldest line: %+v", last)
	}
	if n := len(rec.List(Filter{Limit: 10, Since: time.Now().Add(time.Hour)})); n != 0 {
		t.Errorf("%d from the future", n)
	}
}

func TestARecordingGoesOnWhereItWasKept(t *testing.T) {
	first := New(clock.System())
	for i := range 3 {
		add(first, fmt.Sprint(i), "ok")
	}
	kept := first.Unkept()
	second := New(clock.System())
	asked := 0
	second.Resume(kept[2].Seq, 0, func() []Request { asked++; return kept })
	add(second, "3", "ok")
	if list := second.Unkept(); len(list) != 1 || string(list[0].Body) != "3" || asked != 0 {
		t.Fatalf("%d are not kept yet, the others were read %d times", len(list), asked)
	}
	got := second.List(Filter{Limit: 10})
	if len(got) != 4 || string(got[0].Body) != "3" || string(got[3].Body) != "0" || got[0].Seq != got[1].Seq+1 || !complete(second) {
		t.Errorf("%d requests: %+v", len(got), got)
	}
	if second.List(Filter{Limit: 10}); asked != 1 {
		t.Errorf("they were read %d times", asked)
	}
}

// Names in a GraphQL text, and addresses that are secrets, in replies.
func TestNoSecretIsShownUnderAnotherName(t *testing.T) {
	rec := New(clock.System())
	for body, reply := range map[string]string{
		`{"query":"{hooks{foo:secret s :\n secret}}"}`: `{"data":{"hooks":[{"foo":"hunter22","s":"hunter22"}]},"text":"hi"}`,
		`{"channel":"general"}`:                        `{"id":"hunter22abcdefghijklmn","url":"http://a.example/api/webhooks/incoming/hunter22abcdefghijklmn","text":"hi"}`,
		`{}`:                                           `{"code":"hunter22","redirectUri":"http://a.example/cb?code=hunter22&state=1","text":"hi"}`,
	} {
		add(rec, body, reply)
		if got := string(rec.List(Filter{Limit: 1})[0].Reply); strings.Contains(got, "hunter22") || !strings.Contains(got, "hi") {
			t.Errorf("%s is shown as %s", reply, got)
		}
	}
}

// Recordings contain no secret, in memory or on the disk.
// What a service hides is in neither body, also not as JSON encodes it.
func TestHiddenSecretsAreInNoBody(t *testing.T) {
	const secret = "hünter\"22\n😀"
	bodies := []string{"a " + secret + " b", `{"a":"hünter\"22\n😀"}`, `{"a":"h\u00fcnter\"22\n\ud83d\ude00"}`}
	for n, body := range bodies {
		for _, hidden := range []int{1, maxSecrets} {
			rec := New(clock.System())
			r := httptest.NewRequest("POST", "/api/x", strings.NewReader(body))
			tap := NewTap(httptest.NewRecorder(), r)
			_, _ = io.ReadAll(r.Body)
			_, _ = io.WriteString(tap, "reply "+body)
			for i := range hidden {
				Hide(tap, fmt.Sprintf("another %d", i), secret)
			}
			rec.Add(tap, Request{Service: "ingest"})
			got := rec.List(Filter{Limit: 1})[0]
			if all := string(got.Body) + string(got.Reply); strings.Contains(all, "nter") || !strings.Contains(all, "[redacted]") {
				t.Errorf("body %d, %d hidden: %s", n, hidden, all)
			}
			if all := hidden == 1; all != strings.HasPrefix(string(got.Reply), "reply ") {
				t.Errorf("body %d, %d hidden: the rest is %s", n, hidden, got.Reply)
			}
		}
	}
}

func TestNoSecretIsKept(t *testing.T) {
	rec := New(clock.System())
	add(rec, `{"password":"hunter22"}`, `{"bot_token":"xoxb-hunter22-x","url":"http://a/api/invitations/hunter22hunter22hunter22"}`)
	packed := httptest.NewRequest("POST", "/api/v1/capture-events", strings.NewReader("hunter22 in a compressed body"))
	packed.Header.Set("Content-Encoding", "gzip")
	tap := NewTap(httptest.NewRecorder(), packed)
	_, _ = io.ReadAll(packed.Body)
	rec.Add(tap, Request{Service: "ingest", Method: "POST", Path: "/api/v1/capture-events"})
	list, unkept := rec.List(Filter{Limit: 10}), rec.Unkept()
	rec.Replaced()
	left, _ := rec.Erase(func(r *Request) bool { return r.Seq == 2 })
	if len(list) != 2 || len(unkept) != 2 || len(left) != 1 {
		t.Fatalf("%d are listed, %d are to be kept, %d are left", len(list), len(unkept), len(left))
	}
	for _, r := range slices.Concat(list, unkept, left) {
		if all := r.Query + r.Path + string(r.Body) + string(r.Reply); strings.Contains(all, "hunter22") || strings.Contains(all, "xoxb-1") {
			t.Errorf("kept: %s", all)
		}
	}
	if got := string(list[0].Body); got != "[29 bytes of gzip]" {
		t.Errorf("%q", got)
	}
}

// anywhere are the patterns of secrets as they are found by looking everywhere.
var anywhere = []struct {
	pattern *regexp.Regexp
	with    string
	forms   bool // only texts that are no JSON
}{
	{regexp.MustCompile(strings.Replace(secretMember.String(), "^", "", 1)), `${1}"[redacted]"`, false},
	{regexp.MustCompile(strings.Replace(secretInURL.String(), "^", "", 1)), `${1}[redacted]`, false},
	{regexp.MustCompile(strings.Replace(secretField.String(), "^(&?", "((?:^|&)", 1)), `${1}[redacted]`, true},
	{regexp.MustCompile(strings.Replace(secretForm.String(), "^", "", 1)), `${1}[redacted]`, false},
}

// slowly redacts a text by trying each pattern everywhere, one after the other.
func slowly(s string) string {
	for _, a := range anywhere {
		if !a.forms || isForm([]byte(s)) {
			s = a.pattern.ReplaceAllString(s, a.with)
		}
	}
	return s
}

// One pass leaves nothing that the patterns find anywhere, and changes nothing
// where they find nothing.
func FuzzOnePassMissesNothing(f *testing.F) {
	for _, s := range []string{`{"password":"x"}`, `{"a":"{\"client_secret\" : \"x\"}"}`, `a=1&token=x`, `?code=x`, `xoxb-123456789`, `Axoxp-123456789`, `xpat-na1-1234567`,
		`eyJa.eyJb.c`, `aeyJa_.b.c`, `1trk_api_123456`, `_sk_0123456789abcdef0`, `xrt_0123456789abcdef01234`, `{"query":"{a:secret}"}`,
		`{"query":"mutation($p:String){a(password: $p)}","variables":{"p":"x"}}`, `http://a/api/responses/0123456789abcdefghij`, `"KEY" :"x"`, "\"token\"\n:\"", `\"apiKey\":\"x\"`,
		`/services/T1/B1/0123456789abcdefghij`, `eyJa-b.c.d`, `adm_0123456789abcdefghij`, `{"access_token":"a"}`, `&signing_secret=x`, `oat-na1-abcdef`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(redact([]byte(s)))
		if again := slowly(got); again != got {
			t.Errorf("%q becomes %q, in which %q is left", s, got, again)
		}
		if slowly(s) == s && got != s {
			t.Errorf("%q has no secret and becomes %q", s, got)
		}
		if secretAddress.MatchString(s) && !holdsAddress([]byte(s)) {
			t.Errorf("the address in %q is not found", s)
		}
		if strings.Contains(s, `"query"`) && !mentionsSecret([]byte(s)) && (secretInText.MatchString(s) || secretAlias.MatchString(s) || secretVariable.MatchString(s)) {
			t.Errorf("the secret that %q mentions is not found", s)
		}
	})
}

// A text with a secret costs little more than one without: a single message
// must not slow down every reading of its channel.
func BenchmarkLongTextWithSecrets(b *testing.B) {
	text := []byte(`{"token":"abc","rows":[` + strings.Repeat(`{"text":"an ordinary text, support-desk","ts":"1700000000.000100","u":"http://a.example/c?code=e"},`, 700))[:MaxBody]
	b.SetBytes(MaxBody)
	for b.Loop() {
		redact(text)
	}
}

func BenchmarkAdd(b *testing.B) {
	body := `{"channel":"C0123456789","text":"` + strings.Repeat("an ordinary text ", 10) + `"}`
	reply := `{"ok":true,"channel":"C0123456789","ts":"1700000000.000100","message":{"type":"message","user":"U0123","bot_id":"B0123","app_id":"A0123","team":"T0123","text":"` +
		strings.Repeat("an ordinary text ", 10) + `","ts":"1700000000.000100","bot_profile":{"id":"B0123","name":"App","updated":1700000000,"team_id":"T0123","icons":{}}}}`
	r := Request{Body: []byte(body), Reply: []byte(reply), Path: "/api/chat.postMessage"}
	b.SetBytes(int64(len(body) + len(reply)))
	for b.Loop() {
		r.redact()
	}
}

// A long reply is not held in memory for the sake of its beginning.
func TestTheBeginningOfALongReplyIsCopied(t *testing.T) {
	for _, n := range []int{MaxBody / 2, MaxBody, MaxBody + 1, 16 << 20} {
		whole := make([]byte, n)
		tap := NewTap(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if _, err := tap.WriteOwned(whole); err != nil {
			t.Fatal(err)
		}
		whole[0] = 'x'
		if shared := tap.reply[0] == 'x'; len(tap.reply) != min(n, MaxBody) || shared != (n <= MaxBody) {
			t.Errorf("of %d bytes %d are kept, shared: %t", n, len(tap.reply), shared)
		}
	}
}

func complete(rec *Recorder) bool {
	rec.ReadOlder()
	line, bodies := rec.Lost()
	return line == 0 && bodies == 0
}
