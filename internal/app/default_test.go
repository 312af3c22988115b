package app_test

import (
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// Nobody can make an environment in the place of the default one: who tried was
// refused, but its databases were removed and the next start found empty ones.
func TestTheDefaultEnvironmentIsNotReplaced(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return storetest.MigratedURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			url, dir := database(t), t.TempDir()
			start := func(t *testing.T) plane {
				return planeOf(t, apptest.Start(t, func(o *config.Serve) { o.Database, o.Data = url, dir }))
			}
			t.Run("first", func(t *testing.T) {
				p := start(t)
				e := p.world(p.Call("GET", "/default/credentials", nil, 200))
				e.Post("still here")
				for _, body := range []object{{"id": "default"}, {"id": "default", "ephemeral": true}, {"id": "default", "fixture": "demo"}, {"id": "default", "if_exists": "replace"}} {
					p.Call("POST", "", body, 409)
				}
				p.Call("POST", "/default/fork", object{"id": "default"}, 409)
				p.Call("POST", "", object{"id": "other"}, 201)
				p.Call("POST", "/other/fork", object{"id": "default"}, 409)
				p.Call("POST", "/other/fork", object{"id": "default", "ephemeral": true}, 409)
			})
			t.Run("again", func(t *testing.T) {
				p := start(t)
				e := p.world(p.Call("GET", "/default/credentials", nil, 200))
				if texts := e.Texts(); len(texts) == 0 || texts[0] != "still here" {
					t.Errorf("after a restart: %q", texts)
				}
			})
		})
	}
}
