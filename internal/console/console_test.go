package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/internal/console"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/provision"
	"understudy/internal/platform/program"
	"understudy/internal/platform/seeddoc"
)

const key = "adm_test"

// plane is an admin plane over environments that serve the probe.
type plane struct {
	t testing.TB
	*console.Console
}

func newPlane(t *testing.T) plane {
	t.Helper()
	p := &envtest.Probe{}
	store, log := envtest.Store(t, "", t.TempDir()), slog.New(slog.DiscardHandler)
	envs, err := lifecycle.New(context.Background(), store, p.Platform())
	if err != nil {
		t.Fatal(err)
	}
	own, err := program.Open(context.Background(), store, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = envs.Close() })
	return plane{t, console.New(console.Deps{
		Environments: envs, Clones: clone.New(envs), Program: own, Log: log,
		Provisioner:   provision.New(envs, func(string) ([]*seeddoc.Node, error) { return nil, errors.New("there are no fixtures") }),
		CheckAdminKey: func(_, text string) (bool, error) { return text == key, nil },
		Credentials: func(_ context.Context, _ string, env *environment.Environment) (map[string]any, error) {
			return map[string]any{"environment": env.ID}, nil
		},
	})}
}

// call sends a request with the admin key, and returns the status and the JSON reply.
func (p plane) call(method, path, body string) (int, map[string]any) {
	p.t.Helper()
	r := httptest.NewRequest(method, "/admin/v1"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	reply := map[string]any{}
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
			p.t.Fatalf("%s %s: %s", method, path, w.Body)
		}
	}
	if w.Header().Get("X-Request-Id") == "" {
		p.t.Errorf("%s %s: the reply has no request id", method, path)
	}
	return w.Code, reply
}

// expect fails the test unless a call has a status, and a code of its error unless that is "".
func (p plane) expect(method, path, body string, status int, code string) map[string]any {
	p.t.Helper()
	got, reply := p.call(method, path, body)
	refusal, _ := reply["error"].(map[string]any)
	if got != status || code != "" && refusal["code"] != code {
		p.t.Errorf("%s %s %s: %d %v, want %d %s", method, path, body, got, reply, status, code)
	}
	return reply
}

func TestTheLifeOfAnEnvironment(t *testing.T) {
	p := newPlane(t)
	id := p.expect("POST", "/environments", `{"name":"first","clock":"2026-01-31T09:00:00Z","rate_limits":"off"}`, 201, "")["id"].(string)
	shown := p.expect("GET", "/environments/"+id, "", 200, "")
	if shown["name"] != "first" || shown["parent"] != nil || shown["clock"].(map[string]any)["frozen"] != true {
		t.Errorf("it is shown as %v", shown)
	}
	if list := p.expect("GET", "/environments?limit=1", "", 200, ""); len(list["environments"].([]any)) != 1 || list["next_cursor"] != "" {
		t.Errorf("the list: %v", list)
	}
	if changed := p.expect("PATCH", "/environments/"+id, `{"name":"second"}`, 200, ""); changed["name"] != "second" {
		t.Errorf("after the change: %v", changed)
	}
	if set := p.expect("POST", "/environments/"+id+"/clock", `{"advance":"90s"}`, 200, ""); set["clock"].(map[string]any)["now"] != "2026-01-31T09:01:30Z" {
		t.Errorf("the clock: %v", set["clock"])
	}
	snapshot := p.expect("POST", "/environments/"+id+"/snapshots", `{"name":"kept"}`, 201, "")["id"].(string)
	fork := p.expect("POST", "/environments/"+id+"/fork", `{"snapshot":"`+snapshot+`"}`, 201, "")["id"].(string)
	if shown := p.expect("GET", "/environments/"+fork, "", 200, ""); shown["parent"] != id {
		t.Errorf("the fork's parent is %v", shown["parent"])
	}
	p.expect("POST", "/environments/"+id+"/restore", `{"snapshot":"`+snapshot+`"}`, 200, "")
	p.expect("POST", "/environments/"+id+"/reset", "", 200, "")
	p.expect("DELETE", "/environments/"+id+"/snapshots/"+snapshot, "", 204, "")
	p.expect("POST", "/environments/"+id+"/restore", `{"snapshot":"`+snapshot+`"}`, 404, "snapshot_not_found")
	p.expect("DELETE", "/environments/"+id, "", 204, "")
	p.expect("GET", "/environments/"+id, "", 404, "environment_not_found")
}

func TestRefusals(t *testing.T) {
	p := newPlane(t)
	id := p.expect("POST", "/environments", "{}", 201, "")["id"].(string)
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/nothing", "", 404, "not_found"},
		{"PUT", "/environments", "{}", 405, "method_not_allowed"},
		{"DELETE", "/environments/default", "", 409, "default_environment"},
		{"GET", "/environments?limit=0", "", 400, "invalid_value"},
		{"GET", "/environments?cursor=x", "", 400, "invalid_cursor"},
		{"POST", "/environments", `{"fixture":"none"}`, 400, "invalid_value"},
		{"POST", "/environments", `{"clock":"yesterday"}`, 400, "invalid_value"},
		{"POST", "/environments", `{"ttl_seconds":-1}`, 400, "invalid_value"},
		{"POST", "/environments/" + id + "/fork", `{"deliveries":"some"}`, 400, "invalid_value"},
		{"POST", "/environments/" + id + "/clock", `{"freeze":"2026-01-31T09:00:00Z","run":true}`, 400, "invalid_value"},
		{"POST", "/environments/" + id + "/restore", `{}`, 400, "invalid_value"},
		{"GET", "/environments/" + id + "/diff?limit=x", "", 400, "invalid_value"},
		{"GET", "/environments/" + id + "/deliveries?status=lost", "", 400, "invalid_value"},
		{"GET", "/environments/none/requests", "", 404, "environment_not_found"},
	} {
		p.expect(c.method, c.path, c.body, c.status, c.code)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", "/admin/v1/environments", nil))
	if w.Code != 401 || !strings.Contains(w.Body.String(), `"unauthorized"`) {
		t.Errorf("without a key: %d %s", w.Code, w.Body)
	}
}
