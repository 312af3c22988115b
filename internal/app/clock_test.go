package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// method makes a messaging call and returns its error, "" for none.
func (w world) method(token, name string, args object) (reply object, refused string) {
	w.T.Helper()
	_, reply = w.Server.Call("POST", w.Credential("messaging", "base_url")+"/api/"+name, token, args)
	refused, _ = reply["error"].(string)
	return reply, refused
}

func TestTheClockGivesTheTimes(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.at("2026-01-01T00:00:00Z")
		bot := w.Credential("messaging", "bot_token")
		post := func() string {
			reply, refused := w.method(bot, "chat.postMessage", object{"channel": "general", "text": "x"})
			if refused != "" {
				t.Fatal(refused)
			}
			return reply["ts"].(string)
		}
		first, second := post(), post()
		if !strings.HasPrefix(first, "1767225600.00000") || first >= second {
			t.Errorf("a frozen clock returns %s, then %s", first, second)
		}
		w.Advance("90s")
		if third := post(); !strings.HasPrefix(third, "1767225690.") {
			t.Errorf("after 90 seconds: %s", third)
		}
		w.Freeze("2027-06-01T12:00:00Z")
		contact := w.CRM("POST", "objects/contacts", object{"properties": object{"email": "a@example.com"}}, 201)
		if contact["createdAt"] != "2027-06-01T12:00:00.000Z" {
			t.Errorf("a contact is made at %v", contact["createdAt"])
		}
		team := w.GraphQL(`mutation{teamCreate(input:{name:"Core",key:"COR"}){team{createdAt}}}`, nil)
		if got := at(team, "teamCreate", "team", "createdAt"); got != "2027-06-01T12:00:00.000Z" {
			t.Errorf("a team is made at %v", got)
		}
		p.Call("POST", "/"+w.ID+"/clock", object{"run": true}, 200)
		began := clock.Real()
		one := at(p.Call("GET", "/"+w.ID, nil, 200), "environment", "clock", "now").(string)
		time.Sleep(20 * time.Millisecond)
		two := at(p.Call("GET", "/"+w.ID, nil, 200), "environment", "clock", "now").(string)
		from, _ := time.Parse(time.RFC3339Nano, one)
		to, _ := time.Parse(time.RFC3339Nano, two)
		if d := to.Sub(from); d < 20*time.Millisecond || d > clock.Real().Sub(began)+time.Second || from.Year() != 2027 {
			t.Errorf("a clock that runs goes from %s to %s", one, two)
		}
	})
}

func TestTheClockRefillsLimits(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.at("2026-01-01T00:00:00Z")
		bot := w.Credential("messaging", "bot_token")
		spend := func() (posted int) {
			for range 40 {
				if _, refused := w.method(bot, "chat.postMessage", object{"channel": "general", "text": "x"}); refused != "" {
					if refused != "ratelimited" {
						t.Fatal(refused)
					}
					return posted
				}
				posted++
			}
			return posted
		}
		if n := spend(); n != 20 {
			t.Errorf("a fresh allowance is %d posts", n)
		}
		w.Advance("7s")
		if n := spend(); n != 7 {
			t.Errorf("seven seconds give %d posts", n)
		}

		contacts := func() (calls int) {
			for range 300 {
				status, _ := p.Server.Call("GET", w.Credential("crm", "base_url")+"/api/crm/v3/objects/contacts?limit=1", w.Credential("crm", "access_token"), nil)
				if status == 429 {
					return calls
				}
				calls++
			}
			return calls
		}
		first := contacts()
		w.Advance("11s")
		if second := contacts(); first < 100 || first > 200 || second != first {
			t.Errorf("the CRM allows %d calls, and %d eleven seconds later", first, second)
		}
	})
}

func TestTheClockEndsTokens(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.at("2026-01-01T00:00:00Z")
		for service, names := range map[string]struct{ email, password, token, refresh, lasts, path string }{
			"messaging": {"admin_email", "admin_password", "access_token", "refresh_token", "expires_in", "/api/auth/me"},
			"tracker":   {"user_email", "user_password", "accessToken", "refreshToken", "expiresIn", "/api/organization"},
		} {
			login := w.Do(service, "POST", "/api/auth/login", "", object{"email": w.Credential(service, names.email), "password": w.Credential(service, names.password)}, 200)
			token, lasts := login[names.token].(string), time.Duration(login[names.lasts].(float64))*time.Second
			w.Do(service, "GET", names.path, token, nil, 200)
			w.Advance((lasts - time.Second).String())
			w.Do(service, "GET", names.path, token, nil, 200)
			w.Advance("2s")
			w.Do(service, "GET", names.path, token, nil, 401)
			refresh := object{"refreshToken": login[names.refresh], "refresh_token": login[names.refresh]}
			again := w.Do(service, "POST", "/api/auth/refresh", "", refresh, 200)
			w.Do(service, "GET", names.path, again[names.token].(string), nil, 200)
			w.Advance("8760h")
			w.Do(service, "POST", "/api/auth/refresh", "", object{"refreshToken": again[names.refresh], "refresh_token": again[names.refresh]}, 401)
		}

		login := w.Do("crm", "POST", "/api/auth/login", "", object{"email": w.Credential("crm", "user_email"), "password": w.Credential("crm", "user_password")}, 200)
		q := url.Values{"client_id": {w.Credential("crm", "client_id")}, "redirect_uri": {"http://localhost/cb"}, "scope": {"crm.objects.contacts.read"}}
		s := &script{world: w, own: strings.NewReplacer()}
		code := s.send("crm", "GET", "/oauth/authorize?"+q.Encode(), login["accessToken"].(string), nil, "Accept", "application/json")["code"].(string)
		form := url.Values{"grant_type": {"authorization_code"}, "client_id": q["client_id"], "client_secret": {w.Credential("crm", "client_secret")},
			"redirect_uri": q["redirect_uri"], "code": {code}}
		granted := s.send("crm", "POST", "/api/oauth/v1/token", "", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		token := granted["access_token"].(string)
		w.Do("crm", "GET", "/api/crm/v3/objects/contacts", token, nil, 200)
		w.Advance("1799s")
		w.Do("crm", "GET", "/api/crm/v3/objects/contacts", token, nil, 200)
		w.Advance("2s")
		w.Do("crm", "GET", "/api/crm/v3/objects/contacts", token, nil, 401)
	})
}

// failing refuses its first requests.
func failing(t *testing.T, times int64) (*httptest.Server, *atomic.Int64) {
	var came atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if came.Add(1) <= times {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.Close)
	return s, &came
}

// attempts returns when and how each delivery of a service was tried, oldest delivery first.
func (w world) attempts(service string) (out []string) {
	list := w.Call("GET", "/"+w.ID+"/deliveries?limit=200&service="+service, nil, 200)["deliveries"].([]any)
	for i := len(list) - 1; i >= 0; i-- {
		one := fmt.Sprint(at(list[i], "status"))
		for _, a := range at(list[i], "attempts").([]any) {
			one += " " + strings.TrimPrefix(at(a, "at").(string), "2026-01-01T")
		}
		out = append(out, one)
	}
	return out
}

func (w world) wantAttempts(t *testing.T, service string, want ...string) {
	t.Helper()
	var got []string
	for began := clock.Real(); clock.Real().Sub(began) < 5*time.Second; time.Sleep(5 * time.Millisecond) {
		if got = w.attempts(service); fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
	}
	t.Errorf("attempts of %s:\n%s\nwant:\n%s", service, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

func TestTheClockFiresRetries(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.at("2026-01-01T00:00:00Z")
		bot := w.Credential("messaging", "bot_token")
		s, _ := failing(t, 3)
		w.Do("messaging", "POST", "/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": s.URL}, 201)
		if _, refused := w.method(bot, "chat.postMessage", object{"channel": "general", "text": "one"}); refused != "" {
			t.Fatal(refused)
		}
		w.wantAttempts(t, "messaging", "pending 00:00:00Z")
		time.Sleep(50 * time.Millisecond) // a frozen clock does nothing by itself
		w.wantAttempts(t, "messaging", "pending 00:00:00Z")
		w.Advance("5s")
		w.wantAttempts(t, "messaging", "pending 00:00:00Z 00:00:05Z")
		w.Advance("59s")
		w.wantAttempts(t, "messaging", "pending 00:00:00Z 00:00:05Z")
		w.Advance("1s")
		w.wantAttempts(t, "messaging", "pending 00:00:00Z 00:00:05Z 00:01:05Z")
		w.Advance("5m")
		w.wantAttempts(t, "messaging", "delivered 00:00:00Z 00:00:05Z 00:01:05Z 00:06:05Z")

		u, _ := failing(t, 2)
		w.Do("tracker", "POST", "/api/webhooks", w.Credential("tracker", "api_key"), object{"url": u.URL}, 201)
		team := at(w.GraphQL(`mutation{teamCreate(input:{name:"Core",key:"COR"}){team{id}}}`, nil), "teamCreate", "team", "id")
		w.GraphQL(`mutation($i:IssueCreateInput!){issueCreate(input:$i){success}}`, object{"i": object{"teamId": team, "title": "one"}})
		w.wantAttempts(t, "tracker", "pending 00:06:05Z")
		w.Advance("1m")
		w.wantAttempts(t, "tracker", "pending 00:06:05Z 00:07:05Z")
		w.Advance("1h")
		w.wantAttempts(t, "tracker", "delivered 00:06:05Z 00:07:05Z 01:07:05Z")
	})
}

// TestAdvancingFiresInOrder advances the clock past several deliveries of
// different channels in one step.
func TestAdvancingFiresInOrder(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.at("2026-01-01T00:00:00Z")
		bot := w.Credential("messaging", "bot_token")
		const channels = 8
		var came atomic.Int64
		texts := make(chan string, channels)
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			var body struct{ Event struct{ Text string } }
			_ = json.NewDecoder(r.Body).Decode(&body)
			if came.Add(1) <= channels {
				rw.WriteHeader(http.StatusInternalServerError)
				return
			}
			texts <- body.Event.Text
		}))
		defer s.Close()
		var rooms []string
		for i := range channels {
			made, refused := w.method(bot, "conversations.create", object{"name": fmt.Sprint("room-", i)})
			if refused != "" {
				t.Fatal(refused)
			}
			rooms = append(rooms, at(made, "channel", "id").(string))
		}
		w.Do("messaging", "POST", "/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": s.URL}, 201)
		var want []string
		for i, room := range rooms {
			if _, refused := w.method(bot, "chat.postMessage", object{"channel": room, "text": fmt.Sprint("message ", i)}); refused != "" {
				t.Fatal(refused)
			}
			want = append(want, fmt.Sprint("message ", i))
			for began := clock.Real(); came.Load() <= int64(i) && clock.Real().Sub(began) < 5*time.Second; {
				time.Sleep(time.Millisecond)
			}
			w.Advance("100ms")
		}
		w.Advance("10m")
		var got []string
		for range channels {
			select {
			case text := <-texts:
				got = append(got, text)
			case <-time.After(5 * time.Second):
				t.Fatalf("only %q came", got)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("deliveries came as %q, want %q", got, want)
		}
	})
}
