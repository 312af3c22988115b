package diff

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Effects are named by the rows that stand there: of numbers that follow each other
// and of ones far apart, with rows between that are not asked for and ones that are
// gone, and by columns of which some rows need more than others.
func TestEffectsAreNamedByTheirRows(t *testing.T) {
	quiet := Entity{Service: "test", Name: "quiet", Table: "quiet", Key: []string{"name"},
		KeyOf: func(r Row) string {
			if weight := r.Int("weight"); weight%10 == 0 {
				return fmt.Sprint(weight)
			}
			return r.Text("name")
		}, Gone: func(r Row) bool { return r.Int("weight") == 7 }}
	storetest.Run(t, things, func(t *testing.T, w *store.World) {
		random := rand.New(rand.NewPCG(3, 3))
		const numbers = 4000
		rows := map[int64]string{} // their keys
		gone := map[int64]bool{}
		err := w.Write(t.Context(), func(tx *store.Tx) error {
			if tx.Dialect() != store.SQLite {
				t.Skip("rows have no numbers")
			}
			for number := int64(1); number <= numbers; number++ {
				if number > numbers/2 && random.IntN(5) == 0 {
					continue
				}
				weight, name := random.Int64N(100), fmt.Sprint("n", number)
				if rows[number], gone[number] = name, weight == 7; weight%10 == 0 {
					rows[number] = fmt.Sprint(weight)
					name = fmt.Sprint(weight, " of ", number)
				}
				if _, err := tx.Exec(`INSERT INTO quiet (rowid, name, weight) VALUES (?, ?, ?)`, number, name, weight); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 40 {
			chance := 1 + random.IntN(1<<(round%8)) // one of so many numbers
			first := random.Int64N(numbers)
			var effects []Effect
			for number := first; number < numbers+20; number++ {
				if random.IntN(chance) == 0 {
					effects = append(effects, Effect{Seq: number, Table: "quiet", Row: number, First: store.Updated, Last: store.Updated})
				}
			}
			random.Shuffle(len(effects), func(i, j int) { effects[i], effects[j] = effects[j], effects[i] })
			err := Read(t.Context(), []Entity{quiet}, nil, map[string]*store.World{"": w}, nil, func(r *Reading) error {
				found, _, err := r.Effects(effects)
				if err == nil && len(found) != len(effects) {
					t.Errorf("%d effects of %d", len(found), len(effects))
				}
				for i := range found {
					op := "update"
					if gone[effects[i].Row] {
						op = "delete"
					}
					if got := found[i]; got.Seq != effects[i].Seq || got.Key != rows[effects[i].Row] || got.Op != op {
						t.Fatalf("one of %d from %d: row %d is %+v, want %s of %q", chance, first, effects[i].Row, got, op, rows[effects[i].Row])
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
