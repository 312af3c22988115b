package apptest

import (
	"testing"

	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// Plane is a client of a program's admin plane for tests.
type Plane struct {
	T      *testing.T
	Server *Server
	Key    string
}

// PlaneOf returns the admin plane of a program.
func PlaneOf(t *testing.T, s *Server) Plane { return Plane{t, s, s.Credential("admin", "key")} }

// Call sends a request below /admin/v1/environments and returns the reply. It
// fails the test immediately unless the status is want.
func (p Plane) Call(method, path string, body any, want int) map[string]any {
	p.T.Helper()
	status, reply := p.Server.Call(method, "/admin/v1/environments"+path, p.Key, body)
	if status != want {
		p.T.Fatalf("%s %s answers %d %v, want %d", method, path, status, reply, want)
	}
	return reply
}

// OnPlanes runs a test with a program on SQLite and with one on PostgreSQL.
func OnPlanes(t *testing.T, test func(t *testing.T, p Plane)) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return storetest.MigratedURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			s := Start(t, func(o *config.Serve) { o.Database = database(t) })
			test(t, PlaneOf(t, s))
		})
	}
}
