package tracker

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Webhook is a registration for events.
type Webhook struct {
	entity.Base
	Label          string
	URL            string
	Secret         string // signs deliveries
	sealed         string // the encrypted secret, which is stored
	Team           string // "" for all teams
	AllPublicTeams bool
	ResourceTypes  string // separated by spaces
	Enabled        bool
	Creator        string
	Failures       int64 // consecutive deliveries that were given up
}

// ResourceTypes are the names of resources that a webhook may list. The first served
// of them exist in this service.
var ResourceTypes = []string{"Issue", "Comment", "Project", "Cycle", "IssueLabel", "User",
	"Reaction", "Attachment", "Document", "Initiative", "InitiativeUpdate", "ProjectUpdate", "ProjectLabel", "Customer", "CustomerNeed",
	"IssueSLA", "OAuthAuthorization", "Release", "ReleaseNote", "AgentSessionEvent", "AppUserNotification", "PermissionChange"}

// served is the number of ResourceTypes that this service has.
const served = 6

// WriteWebhook is an input of webhookCreate and webhookUpdate.
type WriteWebhook struct {
	ID             string
	URL            opt.Opt[string]
	Label          opt.Opt[string]
	Secret         opt.Opt[string]
	Team           opt.Opt[string] // id or key
	AllPublicTeams opt.Opt[bool]
	ResourceTypes  opt.Opt[[]string] // if absent, all that the service has
	Enabled        opt.Opt[bool]
}

// CreateWebhook registers a webhook. It returns Forbidden unless the caller is an
// admin, NotFound for the team, BadArgument for URL and types, Taken.
func (t *Tracker) CreateWebhook(ctx context.Context, p *auth.Principal, in WriteWebhook) (*Change[Webhook], error) {
	return changed(t, ctx, p, Webhooks, func(w *writer) (*Webhook, error) { return w.createWebhook(in) })
}

func (w *writer) createWebhook(in WriteWebhook) (*Webhook, error) {
	if err := w.admin(); err != nil {
		return nil, err
	}
	id, err := w.newID(in.ID)
	if err != nil {
		return nil, err
	}
	h := &Webhook{Base: w.fresh(id), Enabled: true, Creator: w.Caller,
		ResourceTypes: entity.Join(ResourceTypes[:served])}
	if team, ok := in.Team.Get(); ok {
		found, err := w.Team(team)
		if err != nil {
			return nil, err
		}
		h.Team = found.ID
	}
	if h.AllPublicTeams = in.AllPublicTeams.Or(h.Team == ""); h.AllPublicTeams && h.Team != "" {
		return nil, badInput("A webhook is for one team or for all public teams, not for both.")
	}
	if !h.AllPublicTeams && h.Team == "" {
		return nil, badInput("A webhook is for one team or for all public teams.")
	}
	in.URL.Set = true
	if in.Secret.Value == "" {
		in.Secret = opt.Some("trk_wh_" + w.t.IDs.Secret(32))
	}
	if err := w.fillWebhook(h, in); err != nil {
		return nil, err
	}
	return h, Webhooks.Insert(w.Tx, h)
}

func (w *writer) fillWebhook(h *Webhook, in WriteWebhook) error {
	if in.URL.Set {
		u, err := url.Parse(in.URL.Value)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || len(in.URL.Value) > 2048 || !portIs(u.Port()) || u.User != nil {
			return badArgument("url", "url must be an http or https URL without a user name or password")
		}
		h.URL = in.URL.Value
	}
	if err := within("label", in.Label.Value, 255); err != nil {
		return err
	}
	if types, ok := in.ResourceTypes.Get(); ok {
		if len(types) == 0 {
			return badArgument("resourceTypes", "resourceTypes should not be empty")
		}
		for _, name := range types {
			if !slices.Contains(ResourceTypes, name) {
				return badArgument("resourceTypes", "each value in resourceTypes must be one of %s", strings.Join(ResourceTypes, ", "))
			}
		}
		h.ResourceTypes = entity.Join(distinct(types))
	}
	if err := within("secret", in.Secret.Value, 255); err != nil {
		return err
	}
	if secret, ok := in.Secret.Get(); ok && secret != "" {
		w.t.setSecret(h, secret)
	}
	h.Label = keep(in.Label, h.Label)
	if on, ok := in.Enabled.Get(); ok {
		if on && !h.Enabled {
			h.Failures = 0 // the count begins again
		}
		h.Enabled = on
	}
	return nil
}

// setSecret sets the secret of a webhook, and its encrypted form for the database.
func (t *Tracker) setSecret(h *Webhook, secret string) {
	h.Secret, h.sealed = secret, t.Box.Seal(h.purpose(), secret)
}

// openSecret decrypts the secret of a webhook from the database.
func (t *Tracker) openSecret(h *Webhook) error {
	secret, ok := t.Box.Open(h.purpose(), h.sealed)
	if !ok {
		return fmt.Errorf("the secret of webhook %s was sealed with another key", h.ID)
	}
	h.Secret = secret
	return nil
}

// purpose returns the purpose for which the secret of a webhook is encrypted.
func (h *Webhook) purpose() string { return "tracker/webhook/" + h.ID }

// SealSecrets encrypts the secrets of webhooks that earlier versions of the program
// stored in plain text.
func (t *Tracker) SealSecrets(ctx context.Context) error {
	return t.world.Write(ctx, func(tx *store.Tx) error {
		all, err := allSecrets(tx)
		if err != nil {
			return err
		}
		for _, h := range all {
			if _, ok := t.Box.Open(h.purpose(), h.sealed); ok {
				continue
			}
			if err := setSealed(tx, h.Org, h.ID, t.Box.Seal(h.purpose(), h.sealed)); err != nil {
				return err
			}
		}
		return nil
	})
}

// portIs reports whether the port of a URL is "" or a number from 1 to 65535.
func portIs(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// distinct returns names without repetition, in their order.
func distinct(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// webhook returns a webhook for a change. It returns Forbidden unless the caller is an
// admin, and NotFound.
func (w *writer) webhook(id string) (*Webhook, error) {
	if err := w.admin(); err != nil {
		return nil, err
	}
	return Webhooks.Get(w.View, id)
}

// Webhook returns a webhook by its id. It returns NotFound, and Forbidden unless
// the caller is an admin.
func (v *View) Webhook(id string) (*Webhook, error) {
	if err := v.admin(); err != nil {
		return nil, err
	}
	return Webhooks.Get(v, id)
}

// UpdateWebhook changes a webhook. It returns Forbidden, NotFound, BadArgument.
func (t *Tracker) UpdateWebhook(ctx context.Context, p *auth.Principal, id string, in WriteWebhook) (*Change[Webhook], error) {
	return changed(t, ctx, p, Webhooks, func(w *writer) (*Webhook, error) {
		old, err := w.webhook(id)
		if err != nil {
			return nil, err
		}
		h := *old
		if err := w.fillWebhook(&h, in); err != nil {
			return nil, err
		}
		return w.saveWebhook(old, &h)
	})
}

func (w *writer) saveWebhook(old, h *Webhook) (*Webhook, error) {
	if Webhooks.Same(old, h) {
		return old, nil
	}
	h.Updated, h.Version = w.Micros(), w.syncID
	_, err := Webhooks.Update(w.View, old, h)
	return h, err
}

// RotateWebhookSecret sets a new secret for a webhook. It returns Forbidden and
// NotFound.
func (t *Tracker) RotateWebhookSecret(ctx context.Context, p *auth.Principal, id string) (*Change[Webhook], error) {
	return changed(t, ctx, p, Webhooks, func(w *writer) (*Webhook, error) {
		old, err := w.webhook(id)
		if err != nil {
			return nil, err
		}
		h := *old
		w.t.setSecret(&h, "trk_wh_"+w.t.IDs.Secret(32))
		return w.saveWebhook(old, &h)
	})
}

// DeleteWebhook removes a webhook. It returns Forbidden and NotFound.
func (t *Tracker) DeleteWebhook(ctx context.Context, p *auth.Principal, id string) (*Change[Webhook], error) {
	return changed(t, ctx, p, Webhooks, func(w *writer) (*Webhook, error) {
		h, err := w.webhook(id)
		if err != nil {
			return nil, err
		}
		return h, Webhooks.Delete(w.View, h)
	})
}
