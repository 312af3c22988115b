package control

import (
	"encoding/json"
	"net/http"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

var appRoutes = []route{
	{"POST /api/apps", "Create an app from a manifest; its secrets are shown this once.", createApp},
	{"GET /api/apps", "List the apps of the workspace.", listApps},
	{"GET /api/apps/{id}", "Show an app; with its manifest to those who manage it.", showApp},
	{"PUT /api/apps/{id}", "Replace the manifest of an app: scopes, subscriptions and commands follow.", putApp},
	{"DELETE /api/apps/{id}", "Remove an app with its tokens, subscriptions, webhooks and commands.", deleteApp},
	{"POST /api/apps/{id}/tokens", "Make the tokens and secrets of an app anew; the old ones are refused.", renewApp},
}

type createAppRequest struct {
	Manifest json.RawMessage `json:"manifest" required:"true" description:"An app manifest; display_information.name is required."`
}

type scopesReply struct {
	Bot  []string `json:"bot"`
	User []string `json:"user"`
}

type appReply struct {
	AppID     string      `json:"app_id"`
	Name      string      `json:"name"`
	BotID     string      `json:"bot_id"`
	BotUserID string      `json:"bot_user_id"`
	Scopes    scopesReply `json:"scopes"`
	CreatedBy string      `json:"created_by"`
	CreatedAt time.Time   `json:"created_at"`
}

type createdAppReply struct {
	appReply
	BotToken          string   `json:"bot_token"`
	UserToken         string   `json:"user_token,omitempty" description:"Of the caller, when the manifest asks for user scopes."`
	SigningSecret     string   `json:"signing_secret"`
	VerificationToken string   `json:"verification_token"`
	Warnings          []string `json:"warnings" description:"What the manifest asks for in vain, a sentence each."`
}

type appsReply struct {
	Apps       []appReply `json:"apps"`
	NextCursor string     `json:"next_cursor"`
}

func app(a *messaging.App) appReply {
	return appReply{AppID: a.ID, Name: a.Name, BotID: a.BotID, BotUserID: a.BotUserID, CreatedBy: a.Creator, CreatedAt: when(a.Created),
		Scopes: scopesReply{Bot: append([]string{}, a.BotScopes...), User: append([]string{}, a.UserScopes...)}}
}

func createApp(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	var in createAppRequest
	if err := httpkit.ReadJSON(r, maxBody, &in); err != nil {
		return err
	}
	a, err := h.Service.CreateApp(r.Context(), c, in.Manifest)
	if err != nil {
		return err
	}
	record.Audit(w, "app.create", a.ID)
	h.writeSecrets(w, http.StatusCreated, a)
	return nil
}

// writeSecrets replies with an app and its secrets, which no other reply
// contains.
func (h *Handler) writeSecrets(w http.ResponseWriter, status int, a *messaging.App) {
	s := h.Service.Secrets(a)
	out := createdAppReply{appReply: app(a), BotToken: s.BotToken, SigningSecret: s.SigningSecret, VerificationToken: s.VerificationToken,
		Warnings: append([]string{}, a.Warnings...)}
	if len(a.UserScopes) > 0 {
		out.UserToken = s.UserToken
	}
	w.Header().Set("Cache-Control", "no-store")
	httpkit.WriteJSON(w, status, out)
}

func listApps(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.caller(w, r)
	if err != nil {
		return err
	}
	return list[*messaging.App]{
		kind: "app",
		find: func(after messaging.Place, limit int) ([]*messaging.App, error) {
			return h.Service.Apps(r.Context(), c, after, limit)
		},
		place:  func(x *messaging.App) messaging.Place { return messaging.Place{Created: x.Created, ID: x.ID} },
		plural: "apps",
		show:   func(x *messaging.App) any { return app(x) },
	}.serve(w, r)
}
