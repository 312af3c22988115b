package console

import (
	"net/http"
	"strconv"

	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/program"
)

// actions are the audit log's names of the routes that change something. Other
// routes are not logged.
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

// reply is the ResponseWriter of a request, with data for the audit log.
type reply struct {
	http.ResponseWriter
	status int // 0 until the reply begins

	// For the audit log.
	target   string // what was created, if the path does not name it
	inMemory bool   // an environment in memory was created or removed
}

func (w *reply) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *reply) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap returns the server's writer, for http.ResponseController.
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setTarget sets the id of a created thing, for the audit log.
func setTarget(w http.ResponseWriter, id string) {
	if a, ok := w.(*reply); ok {
		a.target = id
	}
}

// setInMemory sets whether the created or removed environment is in memory, for
// the audit log.
func setInMemory(w http.ResponseWriter, inMemory bool) {
	if a, ok := w.(*reply); ok {
		a.inMemory = inMemory
	}
}

// audit calls a handler and enters the request into the audit log if it succeeds.
func (c *Console) audit(action string, w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	serve(w, r)
	a := w.(*reply)
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

// auditLog replies with the audit log, newest first.
func (c *Console) auditLog(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := program.AuditFilter{Environment: q.Get("environment"), Action: q.Get("action")}
	return serveList(w, r, "audit", "entries", newestFirst(func(before int64, limit int) ([]program.Entry, error) {
		f.Before, f.Limit = before, limit
		return c.d.Program.Entries(r.Context(), f)
	}), func(e *program.Entry) string { return strconv.FormatInt(e.ID, 10) }, func(e program.Entry) program.Entry { return e })
}
