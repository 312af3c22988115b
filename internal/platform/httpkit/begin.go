package httpkit

import (
	"net/http"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/record"
)

// Begin notes who makes a request. A handler calls it as soon as it knows the
// caller and what is asked, and before it charges a limit; it answers with the
// error that Begin returns, which is one that somebody wants to see (platform/inject). The text names the caller for people.
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

// BeginWith is Begin for a request whose address or body holds a secret of an
// agent, of which text is the name.
func BeginWith(w http.ResponseWriter, r *http.Request, text string) error {
	return begin(w, r, record.Caller{Principal: text, ID: text})
}

func begin(w http.ResponseWriter, r *http.Request, c record.Caller) error {
	record.SetCaller(w, c)
	return record.Begun(w, r)
}
