package control_test

import (
	"net/url"
	"strings"
	"testing"
)

// web calls a method of the Web API and fails the test unless it succeeds.
func (s *site) web(method, token string, args object) reply {
	r := s.call("POST", "/api/"+method, token, args)
	if r.body["ok"] != true {
		s.t.Fatalf("%s: %s", method, r.raw)
	}
	return r
}

func channelOf(boot reply, name string) object {
	for _, c := range boot.list("channels") {
		if c := c.(object); c["name"] == name {
			return c
		}
	}
	return nil
}

func TestClientBoot(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		ann, bob := s.member("ann@example.com"), s.member("bob@example.com")
		boot := s.call("GET", "/api/client/boot", ann.token, nil).is(200)
		general := channelOf(boot, "general")
		if general == nil || general["kind"] != "public" || general["is_general"] != true || general["unread_count"] != float64(0) {
			t.Fatalf("%s", boot.raw)
		}
		if boot.body["user"].(object)["id"] != ann.user || boot.body["clock"].(object)["now"] == "" || len(boot.list("workspaces")) != 1 {
			t.Errorf("%s", boot.raw)
		}

		// What others say is unread, and what mentions the person is a mention.
		id := general["id"].(string)
		s.web("chat.postMessage", bob.token, object{"channel": id, "text": "hello"})
		said := s.web("chat.postMessage", bob.token, object{"channel": id, "text": "see <@" + ann.user + ">"})
		general = channelOf(s.call("GET", "/api/client/boot", ann.token, nil).is(200), "general")
		if general["unread_count"] != float64(2) || general["mention_count"] != float64(1) {
			t.Errorf("%v", general)
		}

		// A mark moves, and may move back.
		read := s.call("PUT", "/api/client/read", ann.token, object{"channel": id, "ts": said.at("ts")}).is(200)
		if read.body["unread_count"] != float64(0) || read.at("last_read") != said.at("ts") {
			t.Errorf("%s", read.raw)
		}
		back := s.call("PUT", "/api/client/read", ann.token, object{"channel": id, "ts": "1.000000"}).is(200)
		if back.body["unread_count"] != float64(2) {
			t.Errorf("%s", back.raw)
		}
		s.web("chat.postMessage", ann.token, object{"channel": id, "text": "who speaks has read"})
		if general = channelOf(s.call("GET", "/api/client/boot", ann.token, nil).is(200), "general"); general["unread_count"] != float64(0) {
			t.Errorf("%v", general)
		}
		star := s.call("PUT", "/api/client/stars", ann.token, object{"channel": id, "starred": true}).is(200)
		if star.body["starred"] != true {
			t.Errorf("%s", star.raw)
		}

		// A direct conversation names its people, who come with it.
		s.web("conversations.open", bob.token, object{"users": ann.user})
		boot = s.call("GET", "/api/client/boot", ann.token, nil).is(200)
		direct := channelOf(boot, "")
		if direct == nil || direct["kind"] != "im" || direct["user"] != bob.user || len(boot.list("people")) != 1 {
			t.Errorf("%s", boot.raw)
		}

		s.call("PUT", "/api/client/read", ann.token, object{"channel": id, "ts": "yesterday"}).is(400)
		s.call("PUT", "/api/client/read", ann.token, object{"channel": "C0NOTHERE", "ts": "1.000000"}).is(404)
		s.call("GET", "/api/client/boot", "", nil).is(401)
	})
}

func TestClientMessagesGoBothWays(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		ann := s.member("ann@example.com")
		id := s.web("conversations.create", ann.token, object{"name": "pieces"}).body["channel"].(object)["id"].(string)
		var ts []string
		for range 7 {
			ts = append(ts, s.web("chat.postMessage", ann.token, object{"channel": id, "text": "one"}).at("ts"))
		}
		window := func(query string) (reply, []string) {
			r := s.call("GET", "/api/client/messages?channel="+id+"&"+query, ann.token, nil).is(200)
			var found []string
			for _, m := range r.list("messages") {
				found = append(found, m.(object)["ts"].(string))
			}
			return r, found
		}
		rows := []struct {
			query        string
			want         []string
			older, newer bool
		}{
			{"limit=3", ts[4:], true, false},
			{"limit=3&before=" + ts[4], ts[1:4], true, true},
			{"limit=3&after=" + ts[1], ts[2:5], true, true},
			{"limit=3&after=" + ts[4], ts[5:], true, false},
			{"limit=4&around=" + ts[3], ts[1:5], true, true},
		}
		for _, row := range rows {
			r, found := window(row.query)
			if strings.Join(found, " ") != strings.Join(row.want, " ") || r.body["has_older"] != row.older || r.body["has_newer"] != row.newer {
				t.Errorf("%s: %v %v %v, want %v %v %v", row.query, found, r.body["has_older"], r.body["has_newer"], row.want, row.older, row.newer)
			}
		}

		s.web("chat.postMessage", ann.token, object{"channel": id, "text": "reply", "thread_ts": ts[0]})
		if r, found := window("thread_ts=" + url.QueryEscape(ts[0])); len(found) != 1 || r.list("messages")[0].(object)["thread_ts"] != ts[0] {
			t.Errorf("a thread: %s", r.raw)
		}
		if _, found := window("limit=500"); strings.Contains(strings.Join(found, " "), " reply") || found[len(found)-1] != ts[6] {
			t.Errorf("replies stand in their threads alone: %v", found)
		}

		for _, query := range []string{"channel=" + id + "&q=x", "", "channel=" + id + "&before=now", "channel=" + id + "&before=1.0&after=1.0", "channel=" + id + "&limit=0"} {
			s.call("GET", "/api/client/messages?"+query, ann.token, nil).is(400)
		}
		s.call("GET", "/api/client/messages?channel="+id+"&thread_ts=5.000000", ann.token, nil).is(404)

		// A private channel is nothing to others.
		secret := s.web("conversations.create", ann.token, object{"name": "secret", "is_private": true}).body["channel"].(object)["id"].(string)
		bob := s.member("bob@example.com")
		s.call("GET", "/api/client/messages?channel="+secret, bob.token, nil).is(404)
		s.call("PUT", "/api/client/read", bob.token, object{"channel": secret, "ts": "1.000000"}).is(404)
		if r := s.call("GET", "/api/client/channels?q=secret", bob.token, nil).is(200); len(r.list("channels")) != 0 {
			t.Errorf("a private channel is found by others: %s", r.raw)
		}
	})
}

func TestClientsFindChannelsAndPeople(t *testing.T) {
	onSites(t, func(t *testing.T, s *site) {
		ann := s.member("ann@example.com")
		s.member("bob@example.com")
		for _, name := range []string{"red-wine", "white-wine", "cellar"} {
			s.web("conversations.create", ann.token, object{"name": name})
		}
		names := func(query string) string {
			r := s.call("GET", "/api/client/channels?"+query, ann.token, nil).is(200)
			var out []string
			for _, c := range r.list("channels") {
				out = append(out, c.(object)["name"].(string))
			}
			return strings.Join(out, " ")
		}
		if got := names("q=wine"); !strings.Contains(got, "red-wine") || !strings.Contains(got, "white-wine") || strings.Contains(got, "cellar") {
			t.Errorf("words of a name: %q", got)
		}
		if got := names("q=ine"); got != "" {
			t.Errorf("the middle of a word matches: %q", got)
		}
		first := s.call("GET", "/api/client/channels?limit=2", ann.token, nil).is(200)
		seen := len(first.list("channels"))
		for next := first.at("next_cursor"); next != ""; {
			r := s.call("GET", "/api/client/channels?limit=2&cursor="+next, ann.token, nil).is(200)
			seen, next = seen+len(r.list("channels")), r.at("next_cursor")
		}
		if seen != 5 { // general and random too
			t.Errorf("%d channels page by page", seen)
		}
		if r := s.call("GET", "/api/client/people?q=BOB", ann.token, nil).is(200); len(r.list("people")) != 1 {
			t.Errorf("%s", r.raw)
		}
		s.call("GET", "/api/client/people?name=bob", ann.token, nil).is(400)
	})
}
