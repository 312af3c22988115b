package args

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func checkText(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
		t.Fatalf("%q is not fit to keep", s)
	}
}

func read(t *testing.T, kind, body string) *Args {
	t.Helper()
	r, b := request("POST", "/", kind, body)
	a, err := Read(r, b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPresence(t *testing.T) {
	a := read(t, jsonType, `{"topic":"","purpose":null,"limit":""}`)
	if s, ok := a.String("topic"); s != "" || !ok {
		t.Error("an empty topic was given")
	}
	if _, ok := a.String("purpose"); ok {
		t.Error("null is absent")
	}
	if _, ok := a.String("status"); ok {
		t.Error("status was left out")
	}
	if _, ok, err := a.Int("limit"); ok || err != nil {
		t.Error("an empty limit is absent")
	}
	if !a.Bool("limit", true) || a.Bool("limit", false) {
		t.Error("an empty boolean is the default")
	}
	if _, ok := a.List("topic"); ok {
		t.Error("an empty list is absent")
	}
	if _, ok := a.Raw("topic"); ok {
		t.Error("an empty structure is absent")
	}
}

func TestRaw(t *testing.T) {
	const blocks = `[{"type":"divider"}]`
	for kind, body := range map[string]string{
		jsonType:         `{"blocks":[{"type":"divider"}]}`,
		jsonType + "; ":  `{"blocks":"[{\"type\":\"divider\"}]"}`,
		formType:         `blocks=[{"type":"divider"}]`,
		multiType + "\t": part("blocks", blocks) + "--x--",
	} {
		if got, ok := read(t, kind, body).Raw("blocks"); string(got) != blocks || !ok {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func TestInt(t *testing.T) {
	for body, want := range map[string]int64{
		`{"n":2}`: 2, `{"n":"2"}`: 2, `{"n":-7}`: -7, `{"n":2.0}`: 2, `{"n":"2e1"}`: 20, `{"n":" 9 "}`: 9, `{"n":0}`: 0,
	} {
		if n, ok, err := read(t, jsonType, body).Int("n"); n != want || !ok || err != nil {
			t.Errorf("%s: %d, %v, %v", body, n, ok, err)
		}
	}
	for _, body := range []string{`{"n":"x"}`, `{"n":1.5}`, `{"n":true}`, `{"n":[1]}`, `{"n":99999999999999999999}`, `{"n":"NaN"}`, `{"n":"Inf"}`} {
		_, _, err := read(t, jsonType, body).Int("n")
		if err == nil || err.Reason != InvalidArguments || err.Field != "n" {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestList(t *testing.T) {
	for body, want := range map[string]string{
		"u=U1":                   "U1",
		"u=U1, U2 ,,U3":          "U1|U2|U3",
		`u=["U1",2,null,""]`:     "U1|2",
		`u=[oops,U2`:             "[oops|U2",
		"u=+":                    "",
		`u=["a\u0000\u00e9",[1]`: `["a\u0000\u00e9"|[1]`,
	} {
		if got, _ := read(t, formType, body).List("u"); strings.Join(got, "|") != want {
			t.Errorf("%s: %q", body, got)
		}
	}
}

func TestMissing(t *testing.T) {
	err := Missing("topic")
	if m, ok := err.Attrs.([]string); !ok || m[0] != "[ERROR] missing required field: topic" || err.Field != "topic" {
		t.Errorf("%+v", err)
	}
}

func benchmarkRead(b *testing.B, kind, text string) {
	r, body := request("POST", "/api/chat.postMessage", kind, text)
	r.Header.Set("Authorization", "Bearer xoxb-123")
	b.ReportAllocs()
	for b.Loop() {
		a, err := Read(r, body)
		if err != nil {
			b.Fatal(err)
		}
		a.String("channel")
		a.String("text")
		a.String("thread_ts")
	}
}

func BenchmarkReadForm(b *testing.B) {
	benchmarkRead(b, formType, "channel=C0123456789&text=hello%20there%2C+how+are+you")
}

func BenchmarkReadJSON(b *testing.B) {
	benchmarkRead(b, "application/json; charset=utf-8", `{"channel":"C0123456789","text":"hello there, how are you"}`)
}
