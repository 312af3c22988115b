package httpkit

import (
	"net/http"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/record"
)

// Begin records the caller of a request; text names the caller for people. A
// handler must call it as soon as it knows the caller and the operation, before
// it charges a limit. If Begin returns an error, which a fault rule has injected
// (platform/inject), the handler must reply with it.
func Begin(w http.ResponseWriter, r *http.Request, text string, p *auth.Principal) error {
	c := record.Caller{Principal: text, ID: p.Subject}
	if c.ID == "" {
		c.ID = p.TokenID
	}
	if p.Acting && !p.Agent {
		c.Actor = record.Person
	}
	return begin(w, r, c)
}

// BeginAdmin is Begin for a request with the key of the admin plane.
func BeginAdmin(w http.ResponseWriter, r *http.Request) error {
	return begin(w, r, record.Caller{Principal: "admin", ID: "admin", Actor: record.Admin})
}

// BeginWith is Begin for a request whose address or body contains a secret of an
// agent; text is the name of the secret.
func BeginWith(w http.ResponseWriter, r *http.Request, text string) error {
	return begin(w, r, record.Caller{Principal: text, ID: text})
}

func begin(w http.ResponseWriter, r *http.Request, c record.Caller) error {
	record.SetCaller(w, c)
	if c.Actor == record.Agent {
		endLook(r.Context())
	}
	return record.Begun(w, r)
}
