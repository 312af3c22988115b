package control_test

import (
	"fmt"
	"slices"
	"strings"

	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
)

// walker calls methods, and fails a test for a reply that is not the expected one.
type walker struct {
	*site
	token string
}

func (w walker) ok(method string, in object) reply {
	w.t.Helper()
	if in == nil {
		in = object{}
	}
	r := w.call("POST", "/api/"+method, w.token, in)
	if r.body["ok"] != true {
		w.t.Errorf("%s %v: %s", method, in, r.raw)
	}
	return r
}

func (w walker) refused(code, method string, in object) {
	w.t.Helper()
	if in == nil {
		in = object{}
	}
	if r := w.call("POST", "/api/"+method, w.token, in); r.at("error") != code {
		w.t.Errorf("%s %v: %s, want %s", method, in, r.raw, code)
	}
}

func walkMethods(s *site, world *store.World) {
	s.limits.Store(ratelimit.Setting(0))
	admin, bot := walker{s, s.admin()}, walker{s, s.def.Secrets.BotToken}
	someone := s.member("someone@example.com")
	other, third := walker{s, someone.token}, s.member("third@example.com")
	gone := s.member("gone@example.com")

	admin.ok("auth.test", nil)
	bot.ok("auth.test", nil)

	room := admin.ok("conversations.create", object{"name": "room"}).at("channel.id")
	secret := admin.ok("conversations.create", object{"name": "secret", "is_private": true}).at("channel.id")
	old := admin.ok("conversations.create", object{"name": "old"}).at("channel.id")
	left := admin.ok("conversations.create", object{"name": "left"}).at("channel.id")
	walkConversations(s, admin, other, bot, someone, third, room, secret, old, left)
	err := world.Write(s.t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE msg_user SET deleted = TRUE WHERE id = ?`, gone.user)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	admin.refused("user_disabled", "conversations.open", object{"users": gone.user})
	walker{s, gone.token}.refused("account_inactive", "auth.test", nil)
	walkMessages(s, admin, other, bot, room, old, gone)
	walkPeople(s, admin, other, bot, someone)
	walkDialect(s, room)
}

const absent = "C0ABSENT00"

func walkConversations(s *site, admin, other, bot walker, someone, third person, room, secret, old, left string) {
	general := ""
	for _, ch := range admin.ok("conversations.list", object{"types": "public_channel,private_channel,mpim,im", "exclude_archived": true, "limit": 999}).list("channels") {
		if ch := ch.(object); ch["is_general"] == true {
			general = ch["id"].(string)
		}
	}
	for name, code := range map[string]string{"": "invalid_name_required", strings.Repeat("a", 81): "invalid_name_maxlength", "Ä b": "invalid_name_specials",
		"---": "invalid_name_punctuation", "room": "name_taken"} {
		admin.refused(code, "conversations.create", object{"name": name})
		admin.refused(code, "conversations.rename", object{"channel": secret, "name": name})
	}
	admin.ok("conversations.rename", object{"channel": secret, "name": "hidden"})
	admin.ok("conversations.invite", object{"channel": room, "users": someone.user + ",U0ABSENT00", "force": true})
	admin.refused("no_user", "conversations.invite", object{"channel": room})
	admin.refused("too_many_users", "conversations.invite", object{"channel": room, "users": strings.Repeat("U0,", 1001)})
	admin.refused("user_not_found", "conversations.invite", object{"channel": room, "users": "U0ABSENT00"})
	admin.refused("cant_invite_self", "conversations.invite", object{"channel": room, "users": s.def.Admin.ID})
	admin.refused("already_in_channel", "conversations.invite", object{"channel": room, "users": someone.user})
	admin.ok("conversations.invite", object{"channel": left, "users": someone.user})

	im := admin.ok("conversations.open", object{"users": someone.user}).at("channel.id")
	admin.ok("conversations.open", object{"users": someone.user, "return_im": true})
	admin.ok("conversations.open", object{"channel": im, "prevent_creation": true})
	group := admin.ok("conversations.open", object{"users": someone.user + "," + third.user}).at("channel.id")
	admin.ok("conversations.open", object{"users": someone.user + "," + third.user})
	many := []string{someone.user, third.user}
	for i := range 8 {
		many = append(many, s.member(fmt.Sprintf("m%d@example.com", i)).user)
	}
	admin.refused("users_list_not_supplied", "conversations.open", nil)
	admin.refused("user_not_found", "conversations.open", object{"users": "U0ABSENT00"})
	admin.refused("too_many_users", "conversations.open", object{"users": strings.Join(many, ",")})
	admin.refused("channel_not_found", "conversations.open", object{"channel": absent})
	admin.refused("method_not_supported_for_channel_type", "conversations.open", object{"channel": room})

	for _, label := range []string{"topic", "purpose"} {
		method := "conversations.set" + strings.ToUpper(label[:1]) + label[1:]
		admin.ok(method, object{"channel": room, label: "About & so on"})
		admin.refused("too_long", method, object{"channel": room, label: strings.Repeat("a", 251)})
		admin.refused("invalid_arguments", method, object{"channel": room})
	}
	for _, ch := range []string{room, secret, im, group} {
		admin.ok("conversations.info", object{"channel": ch, "include_num_members": true, "include_locale": true})
		admin.ok("conversations.members", object{"channel": ch, "limit": 1})
	}
	cursor := admin.ok("conversations.members", object{"channel": room, "limit": 1}).at("response_metadata.next_cursor")
	admin.ok("conversations.members", object{"channel": room, "cursor": cursor})
	cursor = admin.ok("conversations.list", object{"limit": 1}).at("response_metadata.next_cursor")
	admin.ok("conversations.list", object{"limit": 1, "cursor": cursor})
	for _, method := range []string{"conversations.members", "conversations.list"} {
		admin.refused("invalid_cursor", method, object{"channel": room, "cursor": "x"})
		admin.refused("invalid_limit", method, object{"channel": room, "limit": 1001})
	}
	admin.refused("invalid_types", "conversations.list", object{"types": "group"})

	// Of an archived channel.
	admin.ok("conversations.archive", object{"channel": old})
	for method, in := range map[string]object{"join": {}, "leave": {}, "invite": {"users": someone.user}, "kick": {"user": someone.user},
		"rename": {"name": "n"}, "setTopic": {"topic": "t"}, "setPurpose": {"purpose": "p"}} {
		in["channel"] = old
		admin.refused("is_archived", "conversations."+method, in)
		in["channel"] = im
		admin.refused("method_not_supported_for_channel_type", "conversations."+method, in)
		in["channel"] = absent
		admin.refused("channel_not_found", "conversations."+method, in)
		if method != "join" && method != "leave" {
			in["channel"] = left
			bot.refused("not_in_channel", "conversations."+method, in)
		}
	}
	admin.refused("already_archived", "conversations.archive", object{"channel": old})
	admin.refused("cant_archive_general", "conversations.archive", object{"channel": general})
	admin.refused("channel_not_found", "conversations.archive", object{"channel": absent})
	admin.refused("method_not_supported_for_channel_type", "conversations.archive", object{"channel": im})
	bot.refused("not_in_channel", "conversations.archive", object{"channel": room})
	for _, method := range []string{"info", "members"} {
		admin.refused("channel_not_found", "conversations."+method, object{"channel": absent})
	}
	admin.refused("cant_leave_general", "conversations.leave", object{"channel": general})
	admin.refused("last_member", "conversations.leave", object{"channel": secret})
	other.refused("not_authorized", "conversations.rename", object{"channel": left, "name": "mine"})
	admin.refused("user_not_found", "conversations.kick", object{"channel": room, "user": "U0ABSENT00"})
	admin.refused("cant_kick_self", "conversations.kick", object{"channel": room, "user": s.def.Admin.ID})
	admin.refused("cant_kick_from_general", "conversations.kick", object{"channel": general, "user": someone.user})
	admin.refused("not_in_channel", "conversations.kick", object{"channel": room, "user": third.user})
	admin.ok("conversations.kick", object{"channel": left, "user": someone.user})
	other.ok("conversations.join", object{"channel": left})
	if w := other.ok("conversations.join", object{"channel": left}).at("warning"); !strings.Contains(w, "already_in_channel") {
		s.t.Errorf("joining twice: warning %q", w)
	}
	other.ok("conversations.leave", object{"channel": left})
	other.ok("conversations.leave", object{"channel": left})
}

func walkMessages(s *site, admin, other, bot walker, room, old string, gone person) {
	section := []object{{"type": "section", "text": object{"type": "mrkdwn", "text": "*b*"}}}
	content := []struct {
		code string
		in   object
	}{
		{"msg_too_long", object{"markdown_text": strings.Repeat("a", 12_001)}},
		{"markdown_text_conflict", object{"text": "a", "markdown_text": "b"}},
		{"invalid_blocks_format", object{"blocks": "{"}},
		{"invalid_blocks", object{"blocks": []object{{"type": "card"}, {"type": "x"}}}},
		{"msg_blocks_too_long", object{"blocks": manyTexts()}},
		{"too_many_attachments", object{"attachments": slices.Repeat([]object{{"text": "a"}}, 101)}},
		{"invalid_attachments", object{"attachments": []object{{"blocks": []object{{"type": "x"}}}}}},
		{"attachment_payload_limit_exceeded", object{"attachments": slices.Repeat([]object{{"text": strings.Repeat("a", 60_000)}}, 6)}},
		{"invalid_metadata_format", object{"text": "a", "metadata": "1"}},
	}
	post := func(in object) string { in["channel"] = room; return admin.ok("chat.postMessage", in).at("ts") }
	ts := post(object{"text": "hello", "mrkdwn": false, "parse": "none", "link_names": false, "unfurl_links": true, "unfurl_media": true})
	post(object{"blocks": section, "attachments": []object{{"text": "a", "color": "good"}}, "metadata": object{"event_type": "e", "event_payload": object{"a": 1}}})
	post(object{"markdown_text": "# A\n\n- b\n- [c](https://x.example)\n\n| a | b |\n|---|---|\n| 1 | 2 |"})
	post(object{"text": "once", "client_msg_id": "1"})
	post(object{"text": "once", "client_msg_id": "1"})
	post(object{"text": strings.Repeat("a", 40_001)})
	reply := post(object{"text": "a reply", "thread_ts": ts})
	shown := post(object{"text": "a shown reply", "thread_ts": ts, "reply_broadcast": true})
	bot.ok("conversations.join", object{"channel": room})
	theirs := bot.ok("chat.postMessage", object{"channel": room, "text": "of an app", "username": "Robot", "icon_emoji": ":tada:"}).at("ts")
	bot.ok("chat.postMessage", object{"channel": room, "text": "of an app", "icon_url": "https://x.example/i.png"})
	for _, x := range content {
		for method, more := range map[string]object{"chat.postMessage": {}, "chat.update": {"ts": ts}} {
			more["channel"] = room
			for k, v := range x.in {
				more[k] = v
			}
			admin.refused(x.code, method, more)
		}
	}
	admin.refused("no_text", "chat.postMessage", object{"channel": room})
	admin.refused("no_text", "chat.update", object{"channel": room, "ts": ts, "text": ""})
	admin.refused("thread_not_found", "chat.postMessage", object{"channel": room, "text": "a", "thread_ts": "1.000001"})
	admin.refused("is_archived", "chat.postMessage", object{"channel": old, "text": "a"})
	admin.refused("user_disabled", "chat.postMessage", object{"channel": gone.user, "text": "a"})
	admin.refused("channel_not_found", "chat.postMessage", object{"channel": absent, "text": "a"})
	left := admin.ok("conversations.create", object{"name": "elsewhere"}).at("channel.id")
	there := admin.ok("chat.postMessage", object{"channel": left, "text": "a"}).at("ts")
	other.refused("not_in_channel", "chat.postMessage", object{"channel": left, "text": "a"})
	apps := s.call("POST", "/api/apps", s.admin(), object{"manifest": manifest("Other", []string{"chat:write"}, nil)}).is(201)
	bot.refused("cannot_dm_bot", "chat.postMessage", object{"channel": apps.at("bot_user_id"), "text": "a"})

	admin.ok("chat.update", object{"channel": room, "ts": ts, "text": "changed @someone", "parse": "full", "link_names": true})
	admin.ok("chat.update", object{"channel": room, "ts": ts, "blocks": section, "attachments": []object{{"text": "a"}}, "metadata": object{"event_type": "e", "event_payload": object{}}})
	admin.ok("chat.update", object{"channel": room, "ts": ts, "markdown_text": "**b**"})
	admin.refused("no_dual_broadcast_content_update", "chat.update", object{"channel": room, "ts": reply, "reply_broadcast": true, "text": "a"})
	admin.ok("chat.update", object{"channel": room, "ts": reply, "reply_broadcast": true})
	admin.refused("cant_broadcast_message", "chat.update", object{"channel": room, "ts": ts, "reply_broadcast": true})
	other.refused("cant_update_message", "chat.update", object{"channel": room, "ts": ts, "text": "a"})
	other.refused("cant_delete_message", "chat.delete", object{"channel": room, "ts": theirs})
	for _, method := range []string{"chat.update", "chat.delete"} {
		admin.refused("channel_not_found", method, object{"channel": absent, "ts": ts, "text": "a"})
		admin.refused("message_not_found", method, object{"channel": room, "ts": "1.000001", "text": "a"})
	}

	reaction := func(name string) object { return object{"channel": room, "timestamp": ts, "name": name} }
	admin.ok("reactions.add", reaction("tada"))
	admin.refused("already_reacted", "reactions.add", reaction("tada"))
	for _, method := range []string{"reactions.add", "reactions.remove"} {
		admin.refused("no_item_specified", method, object{"name": "tada"})
		admin.refused("file_not_found", method, object{"name": "tada", "file": "F1"})
		admin.refused("bad_timestamp", method, object{"channel": room, "timestamp": "x", "name": "tada"})
		admin.refused("invalid_name", method, reaction("no such emoji"))
		admin.refused("channel_not_found", method, object{"channel": absent, "timestamp": ts, "name": "tada"})
		admin.refused("message_not_found", method, object{"channel": room, "timestamp": "1.000001", "name": "tada"})
		bot.refused("not_in_channel", method, object{"channel": left, "timestamp": there, "name": "tada"})
	}
	for _, method := range []string{"conversations.history", "conversations.replies"} {
		in := object{"channel": room, "ts": ts, "oldest": "0", "latest": "9999999999", "inclusive": true, "include_all_metadata": true, "limit": 2}
		in["cursor"] = admin.ok(method, in).at("response_metadata.next_cursor")
		admin.ok(method, in)
		admin.ok(method, object{"channel": room, "ts": ts})
		admin.refused("channel_not_found", method, object{"channel": absent, "ts": ts})
		admin.refused("invalid_cursor", method, object{"channel": room, "ts": ts, "cursor": "x"})
		admin.refused("invalid_ts_oldest", method, object{"channel": room, "ts": ts, "oldest": "x"})
		admin.refused("invalid_ts_latest", method, object{"channel": room, "ts": ts, "latest": "x"})
		bot.refused("not_in_channel", method, object{"channel": left, "ts": there})
	}
	admin.refused("thread_not_found", "conversations.replies", object{"channel": room, "ts": "1.000001"})
	admin.ok("search.messages", object{"query": "reply", "sort": "timestamp", "sort_dir": "asc", "highlight": true, "count": 1, "page": 1})
	cursor := admin.ok("search.messages", object{"query": "a", "cursor": "*", "count": 1}).at("response_metadata.next_cursor")
	admin.ok("search.messages", object{"query": "a", "cursor": cursor, "count": 1, "limit": 1})
	admin.refused("no_query", "search.messages", nil)
	admin.refused("invalid_cursor", "search.messages", object{"query": "a", "cursor": "x"})
	walker{s, apps.at("bot_token")}.refused("not_allowed_token_type", "search.messages", object{"query": "a"})
	walker{s, apps.at("bot_token")}.refused("not_allowed_token_type", "users.profile.set", object{"name": "title", "value": "x"})

	admin.ok("reactions.remove", reaction("tada"))
	admin.refused("no_reaction", "reactions.remove", reaction("tada"))
	names := strings.Fields("tada heart eyes fire rocket wave clap ok_hand pray muscle smile joy sob cry sunglasses thinking_face star sparkles zap boom sunny cloud snowflake umbrella")
	for _, name := range names[:23] {
		admin.ok("reactions.add", reaction(name))
	}
	admin.refused("too_many_reactions", "reactions.add", reaction(names[23]))
	more := strings.Fields("apple green_apple pear tangerine lemon banana watermelon grapes strawberry melon cherries peach mango pineapple coconut kiwifruit tomato eggplant avocado broccoli carrot corn potato " +
		"bread cheese_wedge egg bacon pancakes")
	for _, name := range more[:23] {
		other.ok("reactions.add", reaction(name))
	}
	for _, name := range more[23:27] {
		bot.ok("reactions.add", reaction(name))
	}
	bot.refused("too_many_emoji", "reactions.add", reaction(more[27]))

	admin.ok("chat.delete", object{"channel": room, "ts": shown})
	admin.ok("chat.delete", object{"channel": room, "ts": ts}) // leaves a tombstone
	admin.ok("conversations.history", object{"channel": room})
	admin.ok("conversations.replies", object{"channel": room, "ts": ts})
	at := admin.ok("chat.postMessage", object{"channel": left, "text": "in a while archived"}).at("ts")
	admin.ok("conversations.archive", object{"channel": left})
	admin.refused("is_inactive", "chat.update", object{"channel": left, "ts": at, "text": "a"})
	for _, method := range []string{"reactions.add", "reactions.remove"} {
		admin.refused("is_archived", method, object{"channel": left, "timestamp": at, "name": "tada"})
	}
}

// manyTexts are blocks that pass one by one and are too long together.
func manyTexts() []object {
	return slices.Repeat([]object{{"type": "markdown", "text": strings.Repeat("a", 7_000)}}, 2)
}

func walkPeople(s *site, admin, other, bot walker, someone person) {
	cursor := admin.ok("users.list", object{"limit": 1, "include_locale": true}).at("response_metadata.next_cursor")
	admin.ok("users.list", object{"limit": 2, "cursor": cursor})
	bot.ok("users.list", nil)
	admin.refused("invalid_cursor", "users.list", object{"cursor": "x"})
	admin.ok("users.info", object{"user": someone.user, "include_locale": true})
	admin.ok("users.info", object{"users": someone.user + "," + s.def.Admin.ID})
	admin.refused("user_not_found", "users.info", object{"user": "U0ABSENT00"})
	admin.refused("too_many_users", "users.info", object{"users": strings.Repeat("U0ABSENT00,", 101)})
	admin.ok("users.profile.get", object{"user": someone.user, "include_labels": true})
	admin.refused("user_not_found", "users.profile.get", object{"user": "U0ABSENT00"})
	other.ok("users.profile.set", object{"profile": object{"status_text": "Away", "status_emoji": ":palm_tree:", "fields": object{"Xf1": object{"value": "v", "alt": ""}}}})
	admin.ok("users.profile.set", object{"user": someone.user, "name": "title", "value": "Baker"})
	other.ok("users.profile.get", object{"include_labels": true})
	admin.refused("invalid_profile", "users.profile.set", object{"profile": "{"})
	admin.refused("user_not_found", "users.profile.set", object{"user": "U0ABSENT00", "name": "title", "value": "x"})
	admin.refused("reserved_name", "users.profile.set", object{"name": "display_name", "value": "channel"})
	admin.refused("too_long", "users.profile.set", object{"name": "status_text", "value": strings.Repeat("a", 101)})
	admin.refused("profile_status_set_failed_not_emoji_syntax", "users.profile.set", object{"name": "status_emoji", "value": "tada"})
	admin.refused("profile_status_set_failed_not_valid_emoji", "users.profile.set", object{"name": "status_emoji", "value": ":no_such_emoji:"})
	other.refused("not_admin", "users.profile.set", object{"user": s.def.Admin.ID, "name": "title", "value": "x"})
	admin.ok("users.setPresence", object{"presence": "away"})
	admin.refused("invalid_presence", "users.setPresence", object{"presence": "x"})
	admin.ok("users.list", nil)
}

// walkDialect breaks calls in the ways that every method refuses alike.
func walkDialect(s *site, room string) {
	raw := func(code, token, path, body string, header ...string) {
		s.t.Helper()
		if r := s.send("POST", path, token, body, header...); r.at("error") != code {
			s.t.Errorf("%s %s: %s, want %s", path, body, r.raw, code)
		}
	}
	const method = "/api/conversations.info"
	raw("not_authed", "", method, `{}`)
	raw("invalid_auth", "xoxb-none", method, `{}`)
	raw("invalid_json", s.admin(), method, `{`)
	raw("json_not_object", s.admin(), method, `[]`)
	raw("invalid_arguments", s.admin(), method, `{}`)
	raw("invalid_post_type", s.admin(), method, `channel=C`, "Content-Type", "application/xml")
	raw("missing_post_type", s.admin(), method, `channel=C`, "Content-Type", "")
	raw("invalid_charset", s.admin(), method, "{}", "Content-Type", "application/json; charset=utf-16")
	raw("invalid_form_data", s.admin(), method, "x", "Content-Type", "multipart/form-data; boundary=b")
	raw("request_too_large", s.admin(), "/api/chat.postMessage", `{"channel":"C","text":"`+strings.Repeat("a", 2<<20)+`"}`)
	raw("invalid_arg_name", s.admin(), method, `{"a b":"C"}`)
	raw("invalid_array_arg", s.admin(), method, `channel[]=C`, "Content-Type", "application/x-www-form-urlencoded")
	narrow := s.call("POST", "/api/apps", s.admin(), object{"manifest": manifest("Narrow", []string{"chat:write"}, nil)}).is(201)
	raw("missing_scope", narrow.at("bot_token"), method, fmt.Sprintf(`{"channel":%q}`, room))
	s.limits.Store(ratelimit.Setting(1))
	for range 30 {
		s.call("POST", "/api/users.setPresence", s.admin(), object{"presence": "auto"})
	}
	leaving := s.member("leaving@example.com")
	s.call("POST", "/api/auth/logout", leaving.token, object{"refresh_token": leaving.refresh}).is(204)
	raw("token_revoked", leaving.token, method, `{}`)
}
