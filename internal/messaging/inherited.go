package messaging

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// RenewInherited renews the tokens of all apps, and the secrets of incoming
// webhooks and invitations, after the environment's secrets have changed. The old
// ones stop working.
func (s *Service) RenewInherited(tx *store.Tx) error {
	apps, err := queryApps(tx, `1 = 1 ORDER BY workspace, created, id`)
	if err != nil {
		return err
	}
	for _, a := range apps {
		if err := s.rotate(tx, a); err != nil {
			return err
		}
	}
	hooks, err := queryWebhooks(tx, `1 = 1`)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		if err := updateWebhookHash(tx, h, auth.Hash(s.webhookID(h))); err != nil {
			return err
		}
	}
	invitations, err := queryInvitations(tx, `1 = 1`)
	if err != nil {
		return err
	}
	for _, i := range invitations {
		if err := updateInvitationHash(tx, i, auth.Hash(s.invitationSecret(i))); err != nil {
			return err
		}
	}
	return nil
}

// RewordTokens replaces the tokens of all apps, which were derived from other
// secrets, by tokens derived from the environment's.
func (s *Service) RewordTokens(tx *store.Tx, was *ids.Secrets) error {
	apps, err := queryApps(tx, `1 = 1 ORDER BY workspace, created, id`)
	if err != nil {
		return err
	}
	for _, a := range apps {
		old, own := secretsOf(a, was), s.Secrets(a)
		if err := s.Auth.Reword(tx, Name, old.BotToken, own.BotToken); err != nil {
			return err
		}
		if err := s.Auth.Reword(tx, Name, old.UserToken, own.UserToken); err != nil {
			return err
		}
	}
	return nil
}

// OtherApps returns the apps of all workspaces except the one in
// credentials.json, oldest first in each.
func (s *Service) OtherApps(ctx context.Context) (out []*App, err error) {
	known := s.provisionedIDs(s.DefaultWorkspace()).app
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, err = queryApps(tx, `id <> ? ORDER BY workspace, created, id`, known)
		return err
	})
	return out, err
}
