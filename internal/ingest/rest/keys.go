package rest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
	"understudy/internal/platform/record"
)

const maxKeyBody = 64 << 10

type keyReply struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Token     string `json:"token,omitempty"`
	Prefix    string `json:"prefix"`
	Scope     string `json:"scope" description:"write, read or all"`
	ProjectID string `json:"project_id"`
	CreatedAt string `json:"created_at"`
}

type keyList struct {
	Keys       []keyReply `json:"api_keys"`
	NextCursor string     `json:"next_cursor"`
}

type keyRequest struct {
	Name      string `json:"name" required:"true"`
	Scope     string `json:"scope" description:"write, read or all, which is the default"`
	ProjectID string `json:"project_id" description:"a project that is there"`
	Project   string `json:"project" description:"the name of a project, made when there is none"`
}

func keyOf(k ingest.Key, token string) keyReply {
	return keyReply{ID: k.ID, Name: k.Name, Token: token, Prefix: k.Prefix, Scope: k.Scope, ProjectID: k.Project,
		CreatedAt: moment3339(k.Created)}
}

type shownProject struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedAt string `json:"created_at"`
}

type projectList struct {
	Projects   []shownProject `json:"projects" required:"true"`
	NextCursor string         `json:"next_cursor"`
}

// listProjects serves GET /api/v1/projects.
func (h *Handler) listProjects(w http.ResponseWriter, r *http.Request) error {
	if err := h.administrator(w, r); err != nil {
		return err
	}
	position, limit, err := paging(r.URL.Query(), "project")
	if err != nil {
		return err
	}
	created, id, err := numbered(position)
	if err != nil {
		return err
	}
	projects, err := h.d.Ingest.Projects(r.Context())
	if err != nil {
		return err
	}
	projects = slices.DeleteFunc(projects, func(p ingest.Project) bool {
		return p.Created < created || p.Created == created && p.ID <= id
	})
	projects, next := page.Cut(projects, limit, "project", func(p *ingest.Project) string {
		return strconv.FormatInt(p.Created, 10) + "," + p.ID
	})
	out := projectList{Projects: make([]shownProject, len(projects)), NextCursor: next}
	for i, p := range projects {
		out.Projects[i] = shownProject{p.ID, p.Name, moment3339(p.Created)}
	}
	return replyJSON(w, http.StatusOK, out)
}

// moment3339 renders microseconds since 1970.
func moment3339(at int64) string { return time.UnixMicro(at).UTC().Format(time.RFC3339Nano) }

// makeKey serves POST /api/v1/api-keys.
func (h *Handler) makeKey(w http.ResponseWriter, r *http.Request) error {
	if err := h.administrator(w, r); err != nil {
		return err
	}
	b, err := h.body(w, r, maxKeyBody)
	if err != nil {
		return err
	}
	var in keyRequest
	if err := httpkit.DecodeJSON(r.Context(), b, &in); err != nil {
		return undecoded(err)
	}
	if err := known(b, &in); err != nil {
		return err
	}
	k, token, err := h.d.Ingest.MakeKey(r.Context(), in.Name, in.Scope, in.ProjectID, in.Project)
	if err != nil {
		return err
	}
	record.Audit(w, "api_key.create", k.ID)
	return replyJSON(w, http.StatusCreated, keyOf(k, token))
}

// listKeys serves GET /api/v1/api-keys.
func (h *Handler) listKeys(w http.ResponseWriter, r *http.Request) error {
	if err := h.administrator(w, r); err != nil {
		return err
	}
	position, limit, err := paging(r.URL.Query(), "key")
	if err != nil {
		return err
	}
	created, id, err := numbered(position)
	if err != nil {
		return err
	}
	keys, err := h.d.Ingest.Keys(r.Context())
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(keys, func(k ingest.Key) bool { return k.Created < created || k.Created == created && k.ID <= id })
	keys, next := page.Cut(keys, limit, "key", func(k *ingest.Key) string {
		return strconv.FormatInt(k.Created, 10) + "," + k.ID
	})
	out := make([]keyReply, len(keys))
	for i, k := range keys {
		out[i] = keyOf(k, "")
	}
	return replyJSON(w, http.StatusOK, keyList{out, next})
}

// revokeKey serves DELETE /api/v1/api-keys/{id}.
func (h *Handler) revokeKey(w http.ResponseWriter, r *http.Request) error {
	if err := h.administrator(w, r); err != nil {
		return err
	}
	if err := h.d.Ingest.RevokeKey(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	record.Audit(w, "api_key.revoke", r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func replyJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	reply(w, status, b)
	return nil
}
