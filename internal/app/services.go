package app

import (
	"net/http"

	"understudy/internal/ingest"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/program"
)

// services returns all services. Each has its own file here.
func (a *App) services() []environment.Service {
	return []environment.Service{messagingService{a}, crmService{a}, trackerService{a}, ingestService{a}}
}

// around wraps a service's handler in the platform's middleware.
func (a *App) around(env *environment.Environment, service string, d httpkit.Dialect, h http.Handler, reads func(*http.Request) bool) http.Handler {
	return httpkit.Around{Service: service, Dialect: d, Log: env.Log, Recorder: env.Recorder, Faults: env.Faults.Faults,
		NewID: func() string { return env.IDs.Hex(20) }, Reads: reads, Observe: a.metrics.observe,
		Graded: env.Fresh && service != ingest.Name, // what is reported is no part of a run
		Audit: func(r *http.Request, e program.Entry) {
			e.Environment = env.ID
			a.program.Audit(r.Context(), e)
		}}.Wrap(h)
}
