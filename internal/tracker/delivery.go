package tracker

import (
	"context"
	"slices"
	"strings"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// Route returns the webhooks that are to be told of an event: those of its
// organization that are enabled, name its type, and are for one of its teams
// or for all public ones. What belongs to no team reaches the latter alone.
func (t *Tracker) Route(_ context.Context, tx *store.Tx, e *outbox.Event) ([]outbox.Target, error) {
	audience, ok := e.Audience.(Audience)
	kind := resourceType(e.Type)
	if !ok || !slices.Contains(ResourceTypes[:served], kind) {
		return nil, nil
	}
	hooks, err := enabledWebhooks(tx, e.Tenant)
	if err != nil {
		return nil, err
	}
	var out []outbox.Target
	for _, h := range hooks {
		if h.hears(kind, audience) {
			out = append(out, outbox.Target{Destination: h.ID})
		}
	}
	return out, nil
}

// resourceType returns the type that an event's name is about: "Issue" for "issue.created".
func resourceType(event string) string {
	name, _, _ := strings.Cut(event, ".")
	return strings.ToUpper(name[:1]) + name[1:]
}

func (h *Webhook) hears(kind string, a Audience) bool {
	if !slices.Contains(strings.Fields(h.ResourceTypes), kind) {
		return false
	}
	if h.Team != "" {
		return slices.Contains(a.TeamIDs, h.Team)
	}
	return h.AllPublicTeams && !a.closed()
}

// closed reports whether an event belongs to private teams alone.
func (a Audience) closed() bool { return len(a.TeamIDs) > 0 && len(a.Private) == len(a.TeamIDs) }

// Hook returns an enabled webhook for a delivery, or nil when it is gone.
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
	return hook, err
}

// Readers returns the users who may see an event of private teams alone; nil
// says that all of the organization may.
func (a Audience) Readers() []string {
	if !a.closed() {
		return nil
	}
	return append([]string{}, a.Members...)
}
