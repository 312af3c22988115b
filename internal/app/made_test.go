package app_test

import (
	"path/filepath"
	"testing"

	"understudy/internal/app/apptest"
)

// An environment that was created or forked has a file and nothing beside it until
// somebody uses it: the reply with its credentials is made while it is made.
func TestAnEnvironmentThatNobodyUsedHasNoLog(t *testing.T) {
	s := apptest.Start(t)
	p := apptest.PlaneOf(t, s)
	parent := p.Call("POST", "", map[string]any{"fixture": "demo"}, 201)["id"].(string)
	empty := p.Call("POST", "", map[string]any{}, 201)
	fork := p.Call("POST", "/"+parent+"/fork", map[string]any{}, 201)
	fresh := p.Call("POST", "/"+parent+"/fork", map[string]any{"credentials": "fresh"}, 201)
	for what, id := range map[string]string{"empty": empty["id"].(string), "fork": fork["id"].(string), "fork with fresh credentials": fresh["id"].(string)} {
		logs, err := filepath.Glob(filepath.Join(s.Data(), "worlds", "env_"+id+".db-*"))
		if err != nil || len(logs) > 0 {
			t.Errorf("%s: %v, %v", what, logs, err)
		}
	}
	p.World(fork).Post("hello")
	logs, err := filepath.Glob(filepath.Join(s.Data(), "worlds", "env_"+fork["id"].(string)+".db-wal"))
	if err != nil || len(logs) != 1 {
		t.Errorf("a fork that was used: %v, %v", logs, err)
	}
}
