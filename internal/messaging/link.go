package messaging

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// linkSharedEvent reports that a message contains links to an app's domains.
type linkSharedEvent struct {
	Type      string       `json:"type"`
	Channel   string       `json:"channel"`
	IsMember  bool         `json:"is_bot_user_member"`
	User      string       `json:"user"`
	MessageTS string       `json:"message_ts"`
	ThreadTS  string       `json:"thread_ts,omitempty"`
	Links     []sharedLink `json:"links"`
	UnfurlID  string       `json:"unfurl_id"`
	Source    string       `json:"source"`
	EventTS   string       `json:"event_ts"`
}

type sharedLink struct {
	Domain string `json:"domain"`
	URL    string `json:"url"`
}

var storedLink = regexp.MustCompile(`<(https?://[^|>\s]+)`)

// emitLinks appends link_shared for each app whose manifest names the domain of a
// link in a message.
func (s *Service) emitLinks(ctx context.Context, tx *store.Tx, ch *Channel, m *Message, c *content) error {
	if !strings.Contains(c.text, "<http") {
		return nil
	}
	subs, err := s.subscriptions(tx, ch.Workspace)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, sub := range subs {
		if done[sub.App] || sub.app == nil || !slices.Contains(sub.EventTypes, "link_shared") {
			continue
		}
		done[sub.App] = true
		links := linksIn(c.text, sub.app.asks().Features.UnfurlDomains)
		if len(links) == 0 {
			continue
		}
		member, err := isMember(tx, ch, sub.app.BotUserID)
		if err != nil {
			return err
		}
		e := linkSharedEvent{Type: "link_shared", Channel: ch.ID, IsMember: member, User: m.User, MessageTS: m.TS.String(), Links: links,
			UnfurlID: ch.ID + "." + m.TS.String(), Source: "conversations_history", EventTS: s.eventTS()}
		if m.ThreadTS > 0 {
			e.ThreadTS = m.ThreadTS.String()
		}
		if ch.Kind != Public && !member {
			continue
		}
		if err := s.emit(ctx, tx, event{kind: e.Type, in: ch, app: sub.App, inner: e}); err != nil {
			return err
		}
	}
	return nil
}

// linksIn returns the links in a stored text whose host is one of domains or a
// subdomain.
func linksIn(text string, domains []string) (out []sharedLink) {
	for _, found := range storedLink.FindAllStringSubmatch(text, -1) {
		address := strings.ReplaceAll(found[1], "&amp;", "&")
		u, err := url.Parse(address)
		if err != nil {
			continue
		}
		host := strings.ToLower(u.Hostname())
		for _, domain := range domains {
			if d := strings.ToLower(domain); host == d || strings.HasSuffix(host, "."+d) {
				out = append(out, sharedLink{domain, address})
				break
			}
		}
	}
	return out
}
