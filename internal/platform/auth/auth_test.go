package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func run(t *testing.T, test func(t *testing.T, w *store.World, a *auth.Auth, c *clock.Clock)) {
	storetest.Run(t, []store.Schema{auth.Schema()}, func(t *testing.T, w *store.World) {
		c := clock.At(start)
		test(t, w, auth.New(w, c, ids.Seeded(1, 0), &bus.Bus{}, ids.NewSecrets([]byte("root"), "lineage")), c)
	})
}

func write(t *testing.T, w *store.World, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := w.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func TestATokenIsKnownUntilItIsRevokedOrExpires(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, c *clock.Clock) {
		ctx := context.Background()
		write(t, w, func(tx *store.Tx) error {
			err := a.Issue(tx, "xoxb-1", auth.Token{Service: "m", ID: "1", Kind: auth.Bot, Tenant: "T1", Subject: "U1", Scopes: []string{"a", "b"}})
			if err != nil {
				return err
			}
			return a.Issue(tx, "short", auth.Token{Service: "m", ID: "2", Kind: auth.User, Tenant: "T1", Expires: start.Add(time.Minute).UnixMicro()})
		})
		p, err := a.Resolve(ctx, "m", "xoxb-1")
		if err != nil || p.Tenant != "T1" || p.Subject != "U1" || !p.Has("b") || p.Has("c") {
			t.Fatalf("%+v, %v", p, err)
		}
		if _, err := a.Resolve(ctx, "other", "xoxb-1"); !errors.Is(err, auth.Invalid) {
			t.Fatalf("another service: %v", err)
		}
		if _, err := a.Resolve(ctx, "m", "short"); err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Minute)
		if _, err := a.Resolve(ctx, "m", "short"); !errors.Is(err, auth.Expired) {
			t.Fatalf("expired: %v", err)
		}
		write(t, w, func(tx *store.Tx) error { _, err := a.Revoke(tx, "m", "T1", "1"); return err })
		if _, err := a.Resolve(ctx, "m", "xoxb-1"); !errors.Is(err, auth.Revoked) {
			t.Fatalf("revoked: %v", err)
		}
		if _, err := a.Resolve(ctx, "m", ""); !errors.Is(err, auth.Missing) {
			t.Fatalf("none: %v", err)
		}
	})
}

func TestRefreshRotatesAndReuseEndsTheFamily(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, c *clock.Clock) {
		ctx := context.Background()
		var g auth.Grant
		write(t, w, func(tx *store.Tx) (err error) { g, err = a.SignIn(tx, "m", "acc", "T1", "U1"); return err })
		p, err := a.Resolve(ctx, "m", g.AccessToken)
		if err != nil || p.Kind != auth.Session || p.Account != "acc" || p.Subject != "U1" {
			t.Fatalf("%+v, %v", p, err)
		}
		second, err := a.Refresh(ctx, "m", g.RefreshToken, nil)
		if err != nil || second.RefreshToken == g.RefreshToken || second.Account != "acc" {
			t.Fatalf("%+v, %v", second, err)
		}
		if _, err := a.Refresh(ctx, "m", g.RefreshToken, nil); !errors.Is(err, auth.Invalid) {
			t.Fatalf("a used token: %v", err)
		}
		if _, err := a.Refresh(ctx, "m", second.RefreshToken, nil); !errors.Is(err, auth.Invalid) {
			t.Fatalf("the family lives on: %v", err)
		}
		for _, access := range []string{g.AccessToken, second.AccessToken} {
			if _, err := a.Resolve(ctx, "m", access); !errors.Is(err, auth.Revoked) {
				t.Fatalf("an access token of the family lives on: %v", err)
			}
		}
		write(t, w, func(tx *store.Tx) (err error) { g, err = a.SignIn(tx, "m", "acc", "T1", "U1"); return err })
		c.Advance(auth.SessionLifetime)
		if _, err := a.Resolve(ctx, "m", g.AccessToken); !errors.Is(err, auth.Expired) {
			t.Fatalf("expired session: %v", err)
		}
	})
}

func TestSigningOutEndsOneSessionAndNoOther(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, c *clock.Clock) {
		ctx := context.Background()
		var mine, other auth.Grant
		write(t, w, func(tx *store.Tx) (err error) {
			if mine, err = a.SignIn(tx, "m", "acc", "", ""); err == nil {
				other, err = a.SignIn(tx, "m", "acc", "", "")
			}
			return err
		})
		p, err := a.Resolve(ctx, "m", mine.AccessToken)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := a.AccessToken("m", p.TokenID, "acc", "T2", "U2")
		if err != nil {
			t.Fatal(err)
		}
		if q, err := a.Resolve(ctx, "m", moved); err != nil || q.Tenant != "T2" || q.Subject != "U2" || q.TokenID != p.TokenID {
			t.Fatalf("%+v, %v", q, err)
		}
		write(t, w, func(tx *store.Tx) error { return a.EndSession(tx, p) })
		for _, text := range []string{mine.AccessToken, moved} {
			if _, err := a.Resolve(ctx, "m", text); !errors.Is(err, auth.Revoked) {
				t.Errorf("after the end: %v", err)
			}
		}
		if _, err := a.Refresh(ctx, "m", mine.RefreshToken, nil); !errors.Is(err, auth.Invalid) {
			t.Errorf("refresh after the end: %v", err)
		}
		if _, err := a.Resolve(ctx, "m", other.AccessToken); err != nil {
			t.Errorf("the other session: %v", err)
		}
		// The mark of the end may go when no token of the session can be good any more.
		c.Advance(auth.SessionLifetime + time.Second)
		write(t, w, func(tx *store.Tx) error { return a.SignOut(tx, "m", other.RefreshToken) })
		if _, err := a.Resolve(ctx, "m", mine.AccessToken); err == nil {
			t.Error("an ended session came back")
		}
	})
}

func TestPasswords(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, _ *clock.Clock) {
		ctx := context.Background()
		hash := a.HashPassword("correct horse")
		var acc auth.Account
		write(t, w, func(tx *store.Tx) (err error) {
			acc, err = a.CreateAccount(tx, "m", auth.Account{Email: "Ann@Example.com", Name: "Ann"}, hash)
			return err
		})
		got, err := a.CheckPassword(ctx, "m", auth.Attempt{Email: "ann@example.COM", Password: "correct horse"})
		if err != nil || got.ID != acc.ID || got.Email != "ann@example.com" {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, try := range [][2]string{{"ann@example.com", "wrong horse"}, {"bob@example.com", "correct horse"}} {
			if _, err := a.CheckPassword(ctx, "m", auth.Attempt{Email: try[0], Password: try[1]}); !errors.Is(err, auth.BadLogin) {
				t.Errorf("%v: %v", try, err)
			}
		}
		err = w.Write(ctx, func(tx *store.Tx) error {
			_, err := a.CreateAccount(tx, "m", auth.Account{Email: "ann@example.com"}, hash)
			return err
		})
		if !errors.Is(err, auth.EmailTaken) {
			t.Fatalf("taken: %v", err)
		}
	})
	storetest.Run(t, []store.Schema{auth.Schema()}, func(t *testing.T, w *store.World) {
		secrets := ids.NewSecrets([]byte("root"), "lineage")
		a := auth.New(w, clock.At(start), ids.Random(), &bus.Bus{}, secrets)
		write(t, w, func(tx *store.Tx) error {
			_, err := a.CreateAccount(tx, "m", auth.Account{Email: "admin@example.com"}, auth.DerivedPassword("admin/0"))
			return err
		})
		if _, err := a.CheckPassword(context.Background(), "m", auth.Attempt{Email: "admin@example.com", Password: a.DerivedPasswordText("admin/0")}); err != nil {
			t.Error(err)
		}
		if _, err := a.CheckPassword(context.Background(), "m", auth.Attempt{Email: "admin@example.com", Password: a.DerivedPasswordText("admin/1")}); err == nil {
			t.Error("the password of another rotation was taken")
		}
		for email, password := range map[string]string{"no-at": "long enough", "a@b.example": "short", "A <a@b.example>": "long enough"} {
			if a.CheckSignup(email, password) == nil {
				t.Errorf("%q / %q was taken", email, password)
			}
		}
	})
}
