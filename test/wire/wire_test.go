package wire

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"understudy/test/server"
)

func TestMain(m *testing.M) { server.Main(m) }

func TestConversations(t *testing.T) {
	played := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".txtar") {
			return err
		}
		played++
		t.Run(strings.TrimSuffix(filepath.ToSlash(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := parseConversation(data)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("sqlite", func(t *testing.T) {
				t.Parallel()
				converse(t, filepath.Dir(path), c)
			})
			t.Run("postgres", func(t *testing.T) {
				t.Parallel()
				converse(t, filepath.Dir(path), c, "--database", server.Postgres(t))
			})
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if played == 0 {
		t.Fatal("no conversation found")
	}
}

// converse plays c with the service that its folder is named for.
func converse(t *testing.T, service string, c conversation, more ...string) {
	flags := append(more, c.flags...)
	if !slices.Contains(flags, "--rate-limits") {
		flags = append(flags, "--rate-limits", "off")
	}
	s, _ := server.New(t, flags...)
	v, err := credentials(filepath.Join(s.Dir, "credentials.json"), service)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range c.steps {
		differences, body, err := step.play(v.given["base_url"], v)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if len(differences) == 0 {
			continue
		}
		var pretty bytes.Buffer
		if json.Indent(&pretty, []byte(body), "", "  ") == nil {
			body = pretty.String()
		}
		t.Errorf("%s: %s\n  %s\nreceived: %s", step.name, step.request.first, strings.Join(differences, "\n  "), body)
	}
	checkOperations(t, s.URL, v.given["admin_key"])
}

// checkOperations fails when a request was recorded by a name that fault rules
// and verdicts do not know.
func checkOperations(t *testing.T, address, key string) {
	var vocabulary struct{ Operations []string }
	var recorded struct {
		Requests []struct{ Operations []string }
	}
	for path, into := range map[string]any{"/admin/v1/entities": &vocabulary, "/admin/v1/environments/default/requests?limit=200": &recorded} {
		r, err := http.NewRequest(http.MethodGet, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(resp.Body).Decode(into)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, resp.StatusCode, err)
		}
	}
	for _, x := range recorded.Requests {
		for _, name := range x.Operations {
			if !slices.Contains(vocabulary.Operations, name) {
				t.Errorf("a request is recorded as %s, which no rule can name", name)
			}
		}
	}
}

// credentials returns the service's credentials as lower-case placeholders, and the admin key.
func credentials(path, service string) (*values, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	v := &values{given: map[string]string{}, kept: map[string]json.RawMessage{}}
	var own, admin map[string]any
	if err := json.Unmarshal(all[service], &own); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(all["admin"], &admin); err != nil {
		return nil, err
	}
	for name, value := range own {
		if s, ok := value.(string); ok {
			v.given[name] = s
		}
	}
	v.given["admin_key"], _ = admin["key"].(string)
	return v, nil
}

// The comparison itself, shown what it must accept and what it must not.
func TestCompare(t *testing.T) {
	rows := []struct {
		got, want string
		partly    bool
		problems  int
	}{
		{`{"a":1}`, `{"a":1}`, false, 0},
		{`{"a":1,"b":2}`, `{"a":1}`, false, 1},
		{`{"a":1,"b":2}`, `{"a":1}`, true, 0},
		{`{}`, `{"a":1}`, true, 1},
		{`{"a":1.0}`, `{"a":1}`, false, 1},
		{`{"a":"1"}`, `{"a":1}`, false, 1},
		{`{"a":null}`, `{}`, false, 1},
		{`[1,2]`, `[1]`, false, 1},
		{`["C0123456789"]`, `["$C1"]`, false, 0},
		{`["D0123456789"]`, `["$C1"]`, false, 1},
		{`["C0123456789","C0123456780"]`, `["$C1","$C1"]`, false, 1},
		{`["1712345678.000100","1712345678.000100"]`, `["$TS1","$TS1"]`, false, 0},
		{`[1712345678]`, `["$TS1"]`, false, 1},
		{`[17,17]`, `["$N1","$N1"]`, false, 0},
		{`[17,18]`, `["$N1","$N1"]`, false, 1},
		{`["U0123456789","<@U0123456789> joined"]`, `["$U1","<@$U1> joined"]`, false, 0},
		{`["<@U0123456789> joined"]`, `["<@$U1> joined"]`, false, 1},
		{`["x",7,"1712345678.000100",[],"A0123456789"]`, `["<string>","<int>","<ts>","<any>","<id>"]`, false, 0},
		{`[7.5,"x","x","x"]`, `["<int>","<ts>","<id>","<int>"]`, false, 4},
		{`["secret"]`, `["$bot_token"]`, false, 0},
		{`["other"]`, `["$bot_token"]`, false, 1},
		{`ok`, `ok`, false, 0},
		{`not ok`, `ok`, false, 1},
	}
	for _, r := range rows {
		v := &values{given: map[string]string{"bot_token": "secret"}, kept: map[string]json.RawMessage{}}
		got, err := v.compareBody([]byte(r.got), r.want, r.partly)
		if err != nil || len(got) != r.problems {
			t.Errorf("%s against %s (partly %v): %q, %v; want %d problems", r.got, r.want, r.partly, got, err, r.problems)
		}
	}
}

func TestParse(t *testing.T) {
	c, err := parseConversation([]byte("Shows it.\nflags: --rate-limits real\n\n-- ask --\nPOST /x\nContent-Type: text/plain\n\na\n\nb\n-- partly --\n200\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := c.steps[0]
	if !reflect.DeepEqual(c.flags, []string{"--rate-limits", "real"}) || s.name != "ask" || !s.partly || s.request.body != "a\n\nb" || s.answer.first != "200" {
		t.Errorf("parsed %+v", c)
	}
	for _, bad := range []string{"", "-- a --\nGET /\n-- reply --\n200\n", "Shows.\n-- a --\nGET /\n", "Shows.\n-- a --\nGET /\n-- answer --\n200\n"} {
		if _, err := parseConversation([]byte(bad)); err == nil {
			t.Errorf("%q must not parse", bad)
		}
	}
}
