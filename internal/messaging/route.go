package messaging

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

type memberKey struct{ workspace, channel, user string }

// targets returns the subscriptions that receive an event. It runs in the event's
// transaction: permissions are those at that moment. The note of each target is
// the event's id, the same for all targets and attempts. Every change calls it,
// so without subscriptions it must cost almost nothing.
func (s *Service) targets(tx *store.Tx, e *outbox.Event, a *audience) (out []outbox.Target, err error) {
	subs, err := s.subscriptions(tx, e.Tenant)
	if err != nil {
		return nil, err
	}
	id := ""
	for _, sub := range subs {
		if !sub.wants(e, a) {
			continue
		}
		if may, err := s.maySee(tx, sub, e, a); err != nil {
			return nil, err
		} else if !may {
			continue
		}
		if id == "" {
			id = s.IDs.Object("Ev")
		}
		out = append(out, outbox.Target{Destination: sub.ID, Note: id})
	}
	return out, nil
}

// subscriptions returns the active subscriptions of a workspace.
func (s *Service) subscriptions(tx *store.Tx, workspace string) ([]*Subscription, error) {
	subs, ok, epoch := s.subscribed.Get(workspace)
	if ok {
		return subs, nil
	}
	subs, err := s.active(tx, workspace)
	if err == nil {
		tx.AfterCommit(func() { s.subscribed.Put(workspace, subs, epoch) }) // not inside the transaction, which may be rolled back
	}
	return subs, err
}

// byKind is the part of event types and scopes that names a kind of conversation.
var byKind = map[Kind]string{Public: "channels", Private: "groups", MPIM: "mpim", IM: "im"}

// wants reports whether a subscription includes an event type.
func (sub *Subscription) wants(e *outbox.Event, a *audience) bool {
	switch {
	case sub.Channel != "" && sub.Channel != a.channel,
		a.only != "" && sub.Viewer != a.only,
		a.app != "" && sub.App != a.app,
		a.metadata != metadataFrom{} && !sub.wantsMetadata(a.metadata):
		return false
	}
	if !slices.Contains(sub.EventTypes, e.Type) &&
		!(e.Type == "message" && slices.Contains(sub.EventTypes, "message."+byKind[a.kind])) {
		return false
	}
	return len(sub.TriggerWords) == 0 || e.Type != "message" || sub.triggered(e.Payload)
}

// triggered reports whether a message begins with a trigger word. Events of
// changed messages have no text.
func (sub *Subscription) triggered(payload []byte) bool {
	var m struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(payload, &m) != nil {
		return false
	}
	text := strings.ToLower(strings.TrimSpace(m.Text))
	return slices.ContainsFunc(sub.TriggerWords, func(w string) bool {
		rest, ok := strings.CutPrefix(text, strings.ToLower(strings.TrimSpace(w)))
		return ok && (rest == "" || !isWord(rest))
	})
}

// isWord reports whether rest continues the word before it.
func isWord(rest string) bool {
	c := rest[0]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// maySee reports whether a subscription's viewer may see an event. It checks the
// scopes of the app and, for events of a conversation, membership.
func (s *Service) maySee(tx *store.Tx, sub *Subscription, e *outbox.Event, a *audience) (bool, error) {
	if scope := neededScope(e.Type, a.kind); sub.Kind == Events && scope != "" && !slices.Contains(sub.scopes(), scope) {
		return false, nil
	}
	switch {
	case a.channel == "", concernsAll(e.Type), a.only != "":
		return true, nil
	case a.app != "":
		return true, nil
	case sub.Kind == Outgoing && a.kind == Public:
		return true, nil
	case sub.Kind == Outgoing && sub.Channel == "":
		return false, nil
	case a.user == sub.Viewer:
		return true, nil
	}
	return s.inChannel(tx, memberKey{e.Tenant, a.channel, sub.Viewer}, a.moved)
}

// scopes returns the scopes of the token that a subscription acts with.
func (sub *Subscription) scopes() []string {
	if sub.Viewer == sub.app.BotUserID {
		return sub.app.BotScopes
	}
	return sub.app.UserScopes
}

// inChannel reports whether a user is a member, from the cache if possible. With
// fresh it ignores the cache, because this transaction has changed members.
func (s *Service) inChannel(tx *store.Tx, key memberKey, fresh bool) (in bool, err error) {
	known, ok, epoch := s.members.Get(key)
	if ok && !fresh {
		return known, nil
	}
	in, err = isMember(tx, &Channel{Workspace: key.workspace, ID: key.channel}, key.user)
	if err == nil && !fresh {
		tx.AfterCommit(func() { s.members.Put(key, in, epoch) })
	}
	return in, err
}

// ActiveSubscription returns an active subscription with its app, or nil.
func (s *Service) ActiveSubscription(ctx context.Context, workspace, id string) (*Subscription, error) {
	subs, ok, epoch := s.subscribed.Get(workspace)
	if !ok {
		err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
			subs, err = s.active(tx, workspace)
			return err
		})
		if err != nil {
			return nil, err
		}
		s.subscribed.Put(workspace, subs, epoch)
	}
	for _, sub := range subs {
		if sub.ID == id {
			return sub, nil
		}
	}
	return nil, nil
}

// SeesEmail reports whether events of a subscription may contain e-mail
// addresses.
func (sub *Subscription) SeesEmail() bool {
	return sub.Kind == Events && slices.Contains(sub.scopes(), "users:read.email")
}

// SeesAsBot reports whether a subscription sees what its app's bot user sees.
func (sub *Subscription) SeesAsBot() bool { return sub.Viewer == sub.app.BotUserID }
