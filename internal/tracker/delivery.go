package tracker

import (
	"context"
	"slices"
	"strings"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// audience describes the users and webhooks of an organization that may receive an event.
type audience struct {
	teams   []string // of the event; empty for the whole organization
	private []string // the private ones of teams
	members []string // members of the private teams
}

// audienceOf returns the audience of an event that belongs to teams.
func (w *writer) audienceOf(teams []string) (audience, error) {
	a := audience{teams: teams}
	for _, id := range teams {
		team, err := Teams.Find(w.View, id)
		if err != nil {
			return audience{}, err
		}
		if team != nil && team.Private {
			a.private = append(a.private, id)
			members, err := membersOf(w.Tx, w.Tenant, id)
			if err != nil {
				return audience{}, err
			}
			a.members = append(a.members, members...)
		}
	}
	return a, nil
}

// inPrivate reports whether an event belongs only to private teams.
func (a audience) inPrivate() bool { return len(a.teams) > 0 && len(a.private) == len(a.teams) }

// clients returns which connected clients may see the event.
func (a audience) clients() outbox.Audience {
	if !a.inPrivate() {
		return outbox.Audience{}
	}
	return outbox.Audience{Users: append([]string{}, a.members...)}
}

// targets returns the webhooks to which an event on a kind is delivered: those of
// the organization that are enabled, name the kind, and are for one of the
// event's teams or for all public teams. An event without a team is only
// delivered to the latter.
func (w *writer) targets(kind string, a audience) (out []outbox.Target, err error) {
	if !slices.Contains(ResourceTypes[:served], kind) || !w.t.Outbox.Delivers(w.ctx, Service) {
		return nil, nil
	}
	hooks, err := enabledWebhooks(w.Tx, w.Tenant)
	if err != nil {
		return nil, err
	}
	for _, h := range hooks {
		if h.wants(kind, a) {
			out = append(out, outbox.Target{Destination: h.ID})
		}
	}
	return out, nil
}

// wants reports whether a webhook receives the events on a kind with an audience.
func (h *Webhook) wants(kind string, a audience) bool {
	if !slices.Contains(strings.Fields(h.ResourceTypes), kind) {
		return false
	}
	if h.Team != "" {
		return slices.Contains(a.teams, h.Team)
	}
	return h.AllPublicTeams && !a.inPrivate()
}

// Hook returns an enabled webhook for a delivery, nil if the webhook was deleted or
// disabled.
func (t *Tracker) Hook(ctx context.Context, org, id string) (hook *Webhook, err error) {
	err = t.world.Read(ctx, func(tx *store.Tx) error {
		hooks, err := enabledWebhooks(tx, org)
		for _, h := range hooks {
			if h.ID == id {
				hook = h
			}
		}
		return err
	})
	if err == nil && hook != nil {
		err = t.openSecret(hook)
	}
	return hook, err
}
