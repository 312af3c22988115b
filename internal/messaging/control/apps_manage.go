package control

import (
	"encoding/json"
	"net/http"

	"understudy/internal/messaging"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

// shownAppReply is one app.
type shownAppReply struct {
	appReply
	Managed  bool            `json:"managed" description:"The caller may change it."`
	Manifest json.RawMessage `json:"manifest,omitempty" description:"As it was given; to those who manage the app."`
	Warnings []string        `json:"warnings" description:"What the manifest asks for in vain, a sentence each; after a change alone."`
}

type oneAppReply struct {
	App shownAppReply `json:"app"`
}

func shownApp(a *messaging.App, managed bool) oneAppReply {
	out := shownAppReply{appReply: app(a), Managed: managed, Warnings: append([]string{}, a.Warnings...)}
	if managed {
		out.Manifest = a.Manifest
	}
	return oneAppReply{out}
}

func showApp(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	a, managed, err := h.Service.App(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, shownApp(a, managed))
	return nil
}

func putApp(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var in createAppRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	a, err := h.Service.UpdateApp(r.Context(), c, r.PathValue("id"), in.Manifest)
	if err != nil {
		return err
	}
	record.Audit(w, "app.update", a.ID)
	httpkit.WriteJSON(w, http.StatusOK, shownApp(a, true))
	return nil
}

func renewApp(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var none struct{}
	if err := httpkit.ReadJSON(r, maxBody, &none); err != nil {
		return err
	}
	a, err := h.Service.RenewApp(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	record.Audit(w, "app.rotate", a.ID)
	h.CredentialsChanged()
	h.writeSecrets(w, http.StatusOK, a)
	return nil
}

func deleteApp(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := h.Service.DeleteApp(r.Context(), c, id); err != nil {
		return err
	}
	record.Audit(w, "app.delete", id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
