package auth_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

func TestPasswordsThatNoAccountMayHave(t *testing.T) {
	run(t, func(t *testing.T, _ *store.World, a *auth.Auth, _ *clock.Clock) {
		for password, ok := range map[string]bool{
			"1234567": false, "        ": false, "\t\n \u00a0\u2003    ": false, "12345678": true, "password1": true, "ééééééé": false, "éééééééé": true,
			strings.Repeat("x", 1024): true, strings.Repeat("é", 1025): false, strings.Repeat("y", 1025): false,
		} {
			if err := a.CheckSignup("a@example.com", password); (err == nil) != ok {
				t.Errorf("%.20q: %v", password, err)
			}
		}
		a.Expose()
		for _, password := range []string{"12345678", "password1", "Passw0rd!", "qwertyuiop"} {
			if err := a.CheckSignup("a@example.com", password); !errors.Is(err, auth.WeakPassword) {
				t.Errorf("beyond loopback %q: %v", password, err)
			}
		}
		if err := a.CheckSignup("a@example.com", "correct horse"); err != nil {
			t.Error(err)
		}
	})
}

func TestCommonPasswords(t *testing.T) {
	for _, p := range []string{"password", "Password123", "P@ssw0rd!", "123456789", "987654321", "11111111", "qwertyuiop", "1q2w3e4r5t", "1qaz2wsx",
		"letmein1!", "iloveyou2", "abcdefgh", "abcd1234", "qwerty123", "welcome2024", "admin123!", "changeme", "trustno1", "aaaaaaaa", "abababab",
		"asdfasdf", "monkey123", "12341234", "dragon99", "sunshine", "zxcvbnm1", "19870312", "passwordpassword", "Summer2024!"} {
		if !auth.IsCommon(p) {
			t.Errorf("%q is not found to be common", p)
		}
	}
	for _, p := range []string{"correct horse", "correct horse battery staple", "vT9#kqLw", "blau-Kiefer-17", "Zr4mbKx02pQ", "my dog ate 3 lamps", "8261940375612",
		"пароль-дорога", "mississippi-boat"} {
		if auth.IsCommon(p) {
			t.Errorf("%q is called common", p)
		}
	}
}

func TestKnownAndUnknownAccountsTakeTheSameTime(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, _ *clock.Clock) {
		write(t, w, func(tx *store.Tx) error {
			if _, err := a.CreateAccount(tx, "m", auth.Account{Email: "derived@example.com"}, auth.DerivedPassword("x")); err != nil {
				return err
			}
			_, err := a.CreateAccount(tx, "m", auth.Account{Email: "chosen@example.com"}, a.HashPassword("correct horse"))
			return err
		})
		// The fastest of some attempts each: a busy machine makes single ones slow.
		took := map[string]time.Duration{}
		for round := range 60 {
			for _, name := range []string{"derived", "chosen", "unknown"} {
				began := clock.Real()
				_, err := a.CheckPassword(context.Background(), "m", auth.Attempt{Email: name + "@example.com", Password: "wrong", Address: fmt.Sprint(round)})
				if d := clock.Real().Sub(began); took[name] == 0 || d < took[name] {
					took[name] = d
				}
				if !errors.Is(err, auth.BadLogin) {
					t.Fatal(err)
				}
			}
			times := []time.Duration{took["derived"], took["chosen"], took["unknown"]}
			if round > 2 && slices.Max(times) < slices.Min(times)*3/2 {
				return
			}
		}
		t.Errorf("%v", took)
	})
}

// Concurrent attempts are all counted.
func TestAttemptsAtOnceAreCounted(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, _ *clock.Clock) {
		var mu sync.Mutex
		failed, refused := 0, 0
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				_, err := a.CheckPassword(context.Background(), "m", auth.Attempt{Email: "a@example.com", Password: "wrong", Address: "x"})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(err, auth.BadLogin):
					failed++
				case errors.Is(err, auth.TooManyFailures):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if failed < 10 || failed > 11 || failed+refused != 40 { // one may be on its way while the tenth fails
			t.Errorf("%d failed, %d were refused", failed, refused)
		}
	})
}

func TestAnAddressIsThrottledWhateverTheAccount(t *testing.T) {
	run(t, func(t *testing.T, w *store.World, a *auth.Auth, _ *clock.Clock) {
		write(t, w, func(tx *store.Tx) error {
			_, err := a.CreateAccount(tx, "m", auth.Account{Email: "ann@example.com"}, auth.DerivedPassword("x"))
			return err
		})
		try := func(service, email, password, address string) error {
			_, err := a.CheckPassword(context.Background(), service, auth.Attempt{Email: email, Password: password, Address: address})
			return err
		}
		for i := range 100 {
			if err := try([]string{"m", "crm"}[i%2], fmt.Sprintf("%d@example.com", i), "wrong", "evil"); !errors.Is(err, auth.BadLogin) {
				t.Fatalf("attempt %d: %v", i, err)
			}
		}
		if err := try("m", "ann@example.com", a.DerivedPasswordText("x"), "evil"); !errors.Is(err, auth.TooManyFailures) {
			t.Errorf("after a hundred: %v", err)
		}
		if err := try("m", "ann@example.com", a.DerivedPasswordText("x"), "home"); err != nil {
			t.Errorf("the owner elsewhere: %v", err)
		}
	})
}
