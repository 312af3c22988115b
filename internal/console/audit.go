package console

import (
	"net/http"
	"strconv"

	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/program"
)

// actions names what the audit log says of the admin plane's routes that change
// something. A route that is not named is not logged.
var actions = map[string]string{
	"POST /admin/v1/environments":                                       "environment.create",
	"DELETE /admin/v1/environments/{env}":                               "environment.delete",
	"PATCH /admin/v1/environments/{env}":                                "environment.update",
	"POST /admin/v1/environments/{env}/reset":                           "environment.reset",
	"POST /admin/v1/environments/{env}/restore":                         "environment.restore",
	"POST /admin/v1/environments/{env}/fork":                            "environment.fork",
	"POST /admin/v1/environments/{env}/seed":                            "environment.seed",
	"POST /admin/v1/environments/{env}/clock":                           "environment.clock",
	"POST /admin/v1/environments/{env}/snapshots":                       "snapshot.create",
	"DELETE /admin/v1/environments/{env}/snapshots/{snapshot}":          "snapshot.delete",
	"POST /admin/v1/environments/{env}/credentials/rotate":              "credentials.rotate",
	"POST /admin/v1/key/rotate":                                         "admin_key.rotate",
	"POST /admin/v1/environments/{env}/people/{service}/{user}/session": "person.session",
}

// audited is the ResponseWriter of a request that the audit log is to have.
type audited struct {
	http.ResponseWriter
	status   int
	target   string // what was created, where the path does not name it
	inMemory bool   // what was created or removed is an environment in memory
}

func (w *audited) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap allows http.ResponseController to reach the server's writer.
func (w *audited) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setTarget notes what a request has created, for the audit log.
func setTarget(w http.ResponseWriter, id string) {
	if a, ok := w.(*audited); ok {
		a.target = id
	}
}

// setInMemory notes whether the environment that a request has created or
// removed is kept in memory alone, for the audit log.
func setInMemory(w http.ResponseWriter, inMemory bool) {
	if a, ok := w.(*audited); ok {
		a.inMemory = inMemory
	}
}

// audit runs a handler and enters it into the audit log when it was not refused.
func (c *Console) audit(action string, w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	a := &audited{ResponseWriter: w}
	serve(a, r)
	if a.status >= http.StatusBadRequest {
		return
	}
	env := r.PathValue("env")
	if a.target == "" {
		a.target = r.PathValue("snapshot")
	}
	if env == "" {
		env = a.target
	}
	c.d.Program.Audit(r.Context(), program.Entry{Action: action, Environment: env, Actor: "admin", Address: httpkit.ClientAddress(r),
		Target: a.target, RequestID: w.Header().Get("X-Request-Id"), InMemory: a.inMemory})
}

// auditLog answers with the audit log, newest first.
func (c *Console) auditLog(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := program.AuditFilter{Environment: q.Get("environment"), Action: q.Get("action")}
	return serveList(w, r, "audit", "entries", newestFirst(func(before int64, limit int) ([]program.Entry, error) {
		f.Before, f.Limit = before, limit
		return c.d.Program.Entries(r.Context(), f)
	}), func(e *program.Entry) string { return strconv.FormatInt(e.ID, 10) }, func(e program.Entry) program.Entry { return e })
}
