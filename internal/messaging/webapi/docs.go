package webapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/apidocs"
)

// arguments lists the arguments of each method for the docs: name, "!" if
// required, and ":" with the type unless it is string.
var arguments = map[string]string{
	"auth.test": "",

	"chat.postMessage": "channel! text markdown_text blocks:array attachments:array metadata:object thread_ts reply_broadcast:boolean " +
		"mrkdwn:boolean parse link_names:boolean unfurl_links:boolean unfurl_media:boolean username icon_emoji icon_url client_msg_id",
	"chat.update": "channel! ts! text markdown_text blocks:array attachments:array metadata:object parse link_names:boolean reply_broadcast:boolean",
	"chat.delete": "channel! ts!",

	"conversations.list":       "types exclude_archived:boolean limit:integer cursor",
	"conversations.create":     "name! is_private:boolean",
	"conversations.info":       "channel! include_num_members:boolean include_locale:boolean",
	"conversations.history":    "channel! oldest latest inclusive:boolean include_all_metadata:boolean limit:integer cursor",
	"conversations.replies":    "channel! ts! oldest latest inclusive:boolean include_all_metadata:boolean limit:integer cursor",
	"conversations.members":    "channel! limit:integer cursor",
	"conversations.join":       "channel!",
	"conversations.leave":      "channel!",
	"conversations.archive":    "channel!",
	"conversations.invite":     "channel! users! force:boolean",
	"conversations.kick":       "channel! user!",
	"conversations.rename":     "channel! name!",
	"conversations.setTopic":   "channel! topic!",
	"conversations.setPurpose": "channel! purpose!",
	"conversations.open":       "channel users return_im:boolean prevent_creation:boolean",

	"reactions.add":    "channel! timestamp! name!",
	"reactions.remove": "name! channel timestamp file file_comment",

	"users.list":        "include_locale:boolean limit:integer cursor",
	"users.info":        "user users include_locale:boolean",
	"users.profile.get": "user include_labels:boolean",
	"users.profile.set": "user profile:object name value",
	"users.setPresence": "presence!",

	"search.messages": "query! sort sort_dir highlight:boolean count:integer page:integer cursor limit:integer",
}

// Operations describes the methods for the docs. credentials names the
// credentials that they accept.
func Operations(credentials ...string) []apidocs.Operation {
	var out []apidocs.Operation
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		m := methods[name]
		group, _, _ := strings.Cut(name, ".")
		out = append(out, apidocs.Operation{
			Pattern: "POST /api/" + name, ID: strings.ReplaceAll(name, ".", "_"), Group: group,
			Summary: m.summary, Description: m.description(), Credentials: credentials,
			Body: argumentSchema(name), BodyTypes: []string{"application/json", "application/x-www-form-urlencoded"},
			Replies: map[int]any{200: append(apidocs.OneOf(replyShapes[name]), refusalSchema(name)), 413: refusalSchema(name), 429: refusalSchema(name), 503: refusalSchema(name)},
		})
	}
	return out
}

func (m *method) description() string {
	var b strings.Builder
	if scopes := m.accepted(); scopes != "" {
		fmt.Fprintf(&b, "Scopes, any of: `%s`", strings.ReplaceAll(scopes, ",", "`, `"))
		if m.kinds != nil {
			b.WriteString(", by the kind of the conversation")
		}
		b.WriteString(".\n\n")
	}
	p := policies[m.tier]
	if m.tier == special {
		fmt.Fprintf(&b, "Limit: one a second for each token and channel, bursts of %d.", int(p.Burst))
	} else {
		fmt.Fprintf(&b, "Limit: %d a minute for each token.", int(p.Limit))
	}
	b.WriteString("\n\nArguments may also come in the query, and the token as the argument `token`. A refusal is status 200 with `ok` false, but for `ratelimited` (429), `request_too_large` (413) and `service_unavailable` (503).")
	return b.String()
}

// argumentSchema returns the schema of a method's arguments.
func argumentSchema(method string) apidocs.Schema {
	properties, required := apidocs.Schema{}, []string{}
	for _, item := range strings.Fields(arguments[method]) {
		name, kind, typed := strings.Cut(item, ":")
		if !typed {
			kind = "string"
		}
		name, must := strings.CutSuffix(name, "!")
		if must {
			required = append(required, name)
		}
		property := apidocs.Schema{"type": kind, "description": argumentDoc(method, name)}
		if kind == "array" {
			property["items"] = apidocs.Schema{"type": "object"}
		}
		properties[name] = property
	}
	out := apidocs.Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}
