package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/tracker"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const key = "trk_api_test"

// both runs a test on each database, with the key of an organization.
func both(t *testing.T, test func(t *testing.T, h *Handler, c *clock.Clock)) {
	storetest.Run(t, []store.Schema{auth.Schema(), outbox.Schema(), tracker.Schema()}, func(t *testing.T, w *store.World) {
		c, b, source := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), &bus.Bus{}, ids.Seeded(1, 0)
		a := auth.New(w, c, source, b, ids.NewSecrets([]byte("k"), "l"))
		tr := tracker.New(w, tracker.Deps{Clock: c, IDs: source, Box: ids.NewBox(nil, "test"), Outbox: outbox.New(outbox.Deps{World: w, Clock: c, Bus: b, Log: slog.New(slog.DiscardHandler)}),
			Auth: a, BaseURL: func() string { return "http://tracker" }})
		err := tr.Provision(context.Background(), tracker.Provision{Key: key, Organization: tracker.CreateOrganization{Name: "Acme", URLKey: "acme",
			Account: auth.Account{Email: "ann@acme.test", Name: "Ann"}}})
		if err != nil {
			t.Fatal(err)
		}
		test(t, NewHandler(Deps{Tracker: tr, Log: slog.New(slog.DiscardHandler)}), c)
	})
}

// got asks for something with the organization's key, and reads a reply of that status.
func got[T any](t *testing.T, h *Handler, path string, status int) (reply T) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", key)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != status {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	return reply
}

// A refusal names the member at fault as the body does.
func TestRefreshRefusals(t *testing.T) {
	both(t, func(t *testing.T, h *Handler, _ *clock.Clock) {
		for body, status := range map[string]int{`{"refreshToken": ""}`: http.StatusBadRequest, `{"refreshToken": "nonsense"}`: http.StatusUnauthorized} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/auth/refresh", strings.NewReader(body)))
			var reply refusal
			if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || w.Code != status || reply.Field != "refreshToken" {
				t.Errorf("%s: %d %s", body, w.Code, w.Body)
			}
		}
	})
}

func TestKeysInPages(t *testing.T) {
	both(t, func(t *testing.T, h *Handler, c *clock.Clock) {
		ctx, tr := context.Background(), h.d.Tracker
		p, err := h.d.Tracker.Auth.Resolve(ctx, tracker.Service, key)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 { // beside the one of the organization
			c.Advance(time.Second)
			if _, _, err := tr.CreateAPIKey(ctx, p, fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
		}
		get := func(query string, status int) keysReply {
			t.Helper()
			return got[keysReply](t, h, "/api/api-keys"+query, status)
		}
		all := get("", http.StatusOK)
		if len(all.Keys) != 5 || all.NextCursor != "" {
			t.Fatalf("%+v", all)
		}
		var seen []keyReply
		sizes, cursor := []int{}, ""
		for {
			page := get("?limit=2&cursor="+cursor, http.StatusOK)
			seen, sizes = append(seen, page.Keys...), append(sizes, len(page.Keys))
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if fmt.Sprint(sizes) != "[2 2 1]" || !slices.Equal(seen, all.Keys) {
			t.Errorf("%v %v, want %v", sizes, seen, all.Keys)
		}
		for _, bad := range []string{"?limit=0", "?limit=251", "?cursor=nonsense"} {
			get(bad, http.StatusBadRequest)
		}
	})
}

// Lists of the control plane take limit and cursor.
func TestWebhooksInPages(t *testing.T) {
	both(t, func(t *testing.T, h *Handler, c *clock.Clock) {
		ctx, tr := context.Background(), h.d.Tracker
		p, err := h.d.Tracker.Auth.Resolve(ctx, tracker.Service, key)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			c.Advance(time.Second)
			if _, err := tr.CreateWebhook(ctx, p, tracker.WriteWebhook{URL: opt.Some(fmt.Sprintf("http://127.0.0.1:9/%d", n))}); err != nil {
				t.Fatal(err)
			}
		}
		get := func(query string, status int) webhooksReply {
			t.Helper()
			return got[webhooksReply](t, h, "/api/webhooks"+query, status)
		}
		var urls []string
		sizes, cursor := []int{}, ""
		for {
			page := get("?limit=2&cursor="+cursor, http.StatusOK)
			for _, hook := range page.Webhooks {
				urls = append(urls, hook.URL[len(hook.URL)-1:])
			}
			sizes = append(sizes, len(page.Webhooks))
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if pages := fmt.Sprint(sizes, urls); pages != "[2 2 1] [4 3 2 1 0]" {
			t.Error(pages)
		}
		if all := get("", http.StatusOK); len(all.Webhooks) != 5 || all.NextCursor != "" {
			t.Errorf("%+v", all)
		}
		for _, bad := range []string{"?limit=0", "?limit=251", "?limit=two", "?cursor=nonsense"} {
			get(bad, http.StatusBadRequest)
		}
	})
}
