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
	lenient    bool   // a published client, for which the rules are looser
	credential string // as sent; it is removed from stored texts
	admin      bool
	recording  http.ResponseWriter // of the request; credentials in the body are hidden from it
}

// credential returns the first credential that a request carries, "" if there is
// none. lenient is set if the credential is in the header of the published clients.
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

// writer returns the caller of a write: the holder of a key with the scope to write.
func (h *Handler) writer(w http.ResponseWriter, r *http.Request) (caller, error) {
	return h.holder(w, r, ingest.KeyWrite)
}

// holder returns the holder of a project's key. It returns unauthorized for an
// unknown key and wrongScope for a key without the scope.
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
	return caller{project: p.Tenant, lenient: lenient, credential: text, recording: w}, nil
}

// reader returns the caller of a read: the holder of a project's key, or the
// holder of the admin key, who names the project in project_id. Without project_id
// the latter reads the default project.
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

// administrator returns adminOnly, or the error of reader, unless the caller has the
// admin key.
func (h *Handler) administrator(w http.ResponseWriter, r *http.Request) error {
	c, err := h.reader(w, r)
	if err == nil && !c.admin {
		err = adminOnly
	}
	return err
}
