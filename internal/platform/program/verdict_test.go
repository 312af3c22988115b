package program

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The oldest verdicts are removed when there are too many or they are too
// large.
func TestVerdictsAreBounded(t *testing.T) {
	storetest.Run(t, []store.Schema{schema()}, func(t *testing.T, w *store.World) {
		ctx, p := context.Background(), &Program{world: w}
		err := w.Write(ctx, func(tx *store.Tx) error {
			for range maxVerdicts + trimEvery - 1 {
				if _, err := insertVerdict(tx, &Verdict{Task: "a", Summary: json.RawMessage("{}"), Detail: json.RawMessage("{}")}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		add := func() int64 {
			t.Helper()
			v := Verdict{Task: "a", Summary: json.RawMessage("{}"), Detail: json.RawMessage(`{"x":1}`)}
			if err := p.AddVerdict(ctx, &v); err != nil {
				t.Fatal(err)
			}
			return v.ID
		}
		remain := func() (n int64, details int64) {
			t.Helper()
			err := w.Read(ctx, func(tx *store.Tx) error {
				if _, err := tx.Get(`SELECT COUNT(*) FROM program_verdict`, nil, &n); err != nil {
					return err
				}
				_, err := tx.Get(`SELECT COUNT(*) FROM program_verdict_detail`, nil, &details)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n, details
		}
		last := add()
		if n, details := remain(); n != maxVerdicts || details != maxVerdicts {
			t.Errorf("%d verdicts and %d details remain, want %d", n, details, maxVerdicts)
		}
		if _, err := p.Verdict(ctx, last-maxVerdicts); !errors.Is(err, VerdictNotFound) {
			t.Errorf("the oldest verdict: %v", err)
		}
		if v, err := p.Verdict(ctx, last); err != nil || string(v.Detail) != `{"x":1}` {
			t.Errorf("the newest verdict: %s %v", v.Detail, err)
		}
		if err := w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`UPDATE program_verdict SET bytes = ?`, maxVerdictBytes/10)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for range trimEvery {
			last = add()
		}
		if n, _ := remain(); n != trimEvery+9 { // nine large ones, and the small ones after them
			t.Errorf("%d verdicts remain of those that are too large", n)
		}
		if _, err := p.Verdict(ctx, last); err != nil {
			t.Errorf("the newest verdict: %v", err)
		}
	})
}
