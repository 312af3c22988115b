package agentdiff

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// standard are the channels that every workspace has, whose ids cannot be chosen.
var standard = []string{"general", "random"}

// slack returns messaging's part of a seed document.
func slack(t map[string]rows, n *names) *yaml.Node {
	for _, u := range t["users"] {
		id := text(u, "user_id")
		n.shortID("U", id)
		n.user[id] = handle(text(u, "username"))
	}
	channelOf := map[string]string{}
	for _, c := range t["channels"] {
		id, name := text(c, "channel_id"), text(c, "channel_name")
		channelOf[id] = name
		if direct(c) || slices.Contains(standard, name) {
			n.ids[id] = "$made.messaging.channels." + name + ".id"
			continue
		}
		n.shortID("C", id)
	}
	n.done()
	return mapping("users", slackUsers(t["users"], n), "channels", slackChannels(t, n), "messages", slackMessages(t, n, channelOf))
}

// direct reports whether a channel is a direct or group conversation.
func direct(c map[string]any) bool { return flag(c, "is_dm") || flag(c, "is_gc") }

// handle converts a user name to a valid handle.
func handle(name string) string {
	h := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
			return c
		}
		return '_'
	}, strings.ToLower(name))
	h = strings.Trim(h, "_.-")
	return h[:min(len(h), 21)]
}

func slackUsers(users rows, n *names) *yaml.Node {
	out := mapping()
	for _, u := range users {
		id := text(u, "user_id")
		add(out, n.user[id], inLine(mapping("id", n.ids[id], "email", text(u, "email"), "handle", n.user[id], "name", text(u, "real_name"), "display_name", text(u, "display_name"),
			"title", text(u, "title"), "admin", n.agent[id])))
	}
	return out
}

func slackChannels(t map[string]rows, n *names) *yaml.Node {
	members := map[string][]string{}
	for _, m := range t["channel_members"] {
		c := text(m, "channel_id")
		members[c] = append(members[c], n.user[text(m, "user_id")])
	}
	left := map[string][]string{} // authors in a channel who are not members
	for _, m := range t["messages"] {
		c, by := text(m, "channel_id"), n.user[text(m, "user_id")]
		if by != "" && !slices.Contains(members[c], by) && !slices.Contains(left[c], by) {
			left[c] = append(left[c], by)
		}
	}
	out := mapping()
	for _, c := range t["channels"] {
		id, name := text(c, "channel_id"), text(c, "channel_name")
		in := members[id]
		if direct(c) {
			add(out, name, inLine(mapping("kind", "direct", "members", in)))
			continue
		}
		kind, kept, creator := "", n.ids[id], ""
		if flag(c, "is_private") {
			kind = "private"
		}
		if len(in) > 0 {
			creator = in[0]
		}
		if slices.Contains(standard, name) {
			kept, creator = "", ""
		}
		if name == standard[0] { // everybody is a member
			left[id] = nil
		}
		add(out, name, mapping("id", kept, "kind", kind, "creator", creator, "topic", n.text.Replace(text(c, "topic_text")),
			"purpose", n.text.Replace(text(c, "purpose_text")), "archived", flag(c, "is_archived"), "members", inLine(node(in)), "left", left[id]))
	}
	return out
}

func slackMessages(t map[string]rows, n *names, channelOf map[string]string) []*yaml.Node {
	reactions := map[string]map[string]any{}
	for _, r := range t["message_reactions"] {
		ts, name := text(r, "message_id"), text(r, "reaction_type")
		if reactions[ts] == nil {
			reactions[ts] = map[string]any{}
		}
		users, _ := reactions[ts][name].([]any)
		reactions[ts][name] = append(users, n.user[text(r, "user_id")])
	}
	parents := map[string]bool{}
	for _, m := range t["messages"] {
		parents[text(m, "parent_id")] = true
	}
	var out []*yaml.Node
	for _, m := range t["messages"] {
		ts, key := text(m, "message_id"), ""
		if parents[ts] {
			key = ts
		}
		one := mapping("key", key, "channel", channelOf[text(m, "channel_id")], "user", n.user[text(m, "user_id")], "ts", ts, "parent", text(m, "parent_id"),
			"text", n.text.Replace(text(m, "message_text")), "blocks", number(m["blocks"]), "reactions", inLine(node(reactions[ts])))
		if reactions[ts] == nil {
			one.Content = one.Content[:len(one.Content)-2]
		}
		out = append(out, one)
	}
	return out
}
