package rest

import (
	"net/http"
	"strings"

	"understudy/internal/ingest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// caller is the sender of a request.
type caller struct {
	project    string
	lenient    bool   // one of the published clients, for which the rules are looser
	credential string // as sent; it is removed from stored texts
	admin      bool
}

// credential returns the credential of a request: the first that is present.
func credential(r *http.Request) (text string, lenient bool) {
	if text := r.Header.Get("X-Api-Key"); text != "" {
		return text, false
	}
	if r.Header.Get("Authorization") != "" {
		return httpkit.Bearer(r), false
	}
	text = r.Header.Get("X-Org-Id")
	return text, text != ""
}

// writer returns the caller of a request that writes.
func (h *Handler) writer(w http.ResponseWriter, r *http.Request) (caller, error) {
	return h.holder(w, r, ingest.KeyWrite)
}

// holder returns the caller, whose key must have a scope.
func (h *Handler) holder(w http.ResponseWriter, r *http.Request, scope string) (caller, error) {
	text, lenient := credential(r)
	p, err := h.d.Auth.Resolve(r.Context(), ingest.Name, strings.TrimSpace(text))
	if err != nil {
		if fault.KindOf(err) == fault.Unauthenticated {
			err = unauthorized
		}
		return caller{}, err
	}
	if err := httpkit.Begin(w, r, "key "+p.TokenID, p); err != nil {
		return caller{}, err
	}
	if len(p.Scopes) > 0 && !p.Has(scope) {
		return caller{}, wrongScope.Detailf("This key may only be used for %s.", strings.Join(p.Scopes, ", "))
	}
	return caller{project: p.Tenant, lenient: lenient, credential: text}, nil
}

// reader returns the caller of a read: the holder of a project's key, or the
// holder of the admin key, who names the project in project_id.
func (h *Handler) reader(w http.ResponseWriter, r *http.Request) (caller, error) {
	text, _ := credential(r)
	if !strings.HasPrefix(text, auth.AdminKeyPrefix) {
		return h.holder(w, r, ingest.KeyRead)
	}
	ok, err := h.d.CheckAdminKey(httpkit.ClientAddress(r), text)
	if err == nil && !ok {
		err = unauthorized
	}
	if err != nil {
		return caller{}, err
	}
	if err := httpkit.BeginAdmin(w, r); err != nil {
		return caller{}, err
	}
	project := r.URL.Query().Get("project_id")
	if project == "" {
		return caller{project: h.d.Ingest.DefaultProject(), admin: true}, nil
	}
	return caller{project: project, admin: true}, h.d.Ingest.CheckProject(r.Context(), project)
}

// administrator returns an error unless the caller has the admin key.
func (h *Handler) administrator(w http.ResponseWriter, r *http.Request) error {
	c, err := h.reader(w, r)
	if err == nil && !c.admin {
		err = adminOnly
	}
	return err
}
