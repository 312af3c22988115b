package outbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// The events of some requests are found among those of others, in stretches with
// gaps, with what is stored of their deliveries and what is not; a table that grows
// without a bound is not looked through.
func TestEventsOfRequests(t *testing.T) {
	storetest.Run(t, []store.Schema{Schema()}, func(t *testing.T, w *store.World) {
		const requests = 200
		random := rand.New(rand.NewPCG(7, 7))
		all := map[int64][]string{} // by request, in the order of the events
		err := w.Write(t.Context(), func(tx *store.Tx) error {
			for n := range 1500 {
				seq := int64(1 + n + n/500*25_000)
				cause := max(1, int64(n*requests/1500)-random.Int64N(10)) // requests at a time
				to := targets{{"one", ""}, {"two", "x"}}[:random.IntN(3)]
				text := fmt.Sprint(seq)
				if _, err := tx.Exec(`INSERT INTO outbox_event (seq, service, tenant, type, key, payload, at, request_id, told, targets, cause_seq)
					VALUES (?, 'svc', '', 'type', 'key', ?, ?, '', ?, ?, ?)`, seq, []byte("{}"), seq, len(to), to.text(), cause); err != nil {
					return err
				}
				for i := range to {
					status := Pending
					if random.IntN(2) == 0 {
						status = Delivered
						q := queued{seq: seq, service: "svc", key: "key", at: seq, targets: to}
						d := q.delivery(i)
						d.Status = status
						if _, err := upsertDelivery(tx, &d); err != nil {
							return err
						}
					}
					text += fmt.Sprint(" ", to[i].Destination, " ", status)
				}
				all[cause] = append(all[cause], text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			var asked []int64
			var want []string
			for seq := range int64(requests) {
				if random.IntN(3) == 0 {
					asked, want = append(asked, seq), append(want, all[seq]...)
				}
			}
			bytes := 0
			got, err := askFor(t.Context(), w, asked, mostStretches, func(n int) error { bytes += n; return nil })
			if err != nil || !slices.Equal(got, want) || bytes < len(want)*eventBytes {
				t.Fatalf("of %v: %v, %d bytes\n%q\nwant\n%q", asked, err, bytes, got, want)
			}
		}
		everything := []int64{1, requests}
		if _, err := askFor(t.Context(), w, everything, 2, func(int) error { return nil }); !errors.Is(err, TooManyEvents) {
			t.Errorf("three stretches, of which two may be looked through: %v", err)
		}
		if got, err := askFor(t.Context(), w, everything, 3, func(int) error { return nil }); err != nil || len(got) == 0 {
			t.Errorf("three stretches, which may all be looked through: %d, %v", len(got), err)
		}
		full := errors.New("full")
		if _, err := askFor(t.Context(), w, everything, 3, func(int) error { return full }); !errors.Is(err, full) {
			t.Errorf("a page that is full: %v", err)
		}
	})
}

// askFor returns the events of requests, each as a text with its deliveries.
func askFor(ctx context.Context, w *store.World, causes []int64, stretches int, full func(int) error) (out []string, err error) {
	err = w.Read(ctx, func(tx *store.Tx) error {
		found, err := eventsOf(ctx, tx, causes, stretches, full)
		for _, e := range found {
			text := fmt.Sprint(e.Seq)
			for _, d := range e.Deliveries {
				text += fmt.Sprint(" ", d.Destination, " ", d.Status)
			}
			out = append(out, text)
		}
		return err
	})
	return out, err
}
