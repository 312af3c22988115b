package figures_test

import (
	"math"
	"testing"

	"understudy/internal/task/figures"
	"understudy/internal/task/outcome"
)

func runs(states string) (out []outcome.Run) {
	for i, c := range states {
		s := map[rune]outcome.State{'p': outcome.Passed, 'f': outcome.Failed, 't': outcome.Timeout, 'e': outcome.Error}[c]
		score := 0.0
		if s == outcome.Passed {
			score = 1
		}
		out = append(out, outcome.Run{State: s, Score: score, Seconds: float64(i), Requests: 10 * i})
	}
	return out
}

func near(v *float64, want float64) bool {
	return v == nil && math.IsNaN(want) || v != nil && math.Abs(*v-want) < 1e-12
}

// pass@k and pass^k are those of the binomials; errors stay in the denominator
// unless they are excluded.
func TestFigures(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		states    string
		exclude   bool
		at, hat   []float64 // for k = 1, 2, 4
		excluded  int
		meanScore float64
	}{
		{"pppp", false, []float64{1, 1, 1}, []float64{1, 1, 1}, 0, 1},
		{"ffff", false, []float64{0, 0, 0}, []float64{0, 0, 0}, 0, 0},
		{"pptf", false, []float64{0.5, 1 - 1.0/6, 1}, []float64{0.5, 1.0 / 6, 0}, 0, 0.5},
		{"ppee", false, []float64{0.5, 1 - 1.0/6, 1}, []float64{0.5, 1.0 / 6, 0}, 0, 0.5},
		{"ppee", true, []float64{1, 1, none}, []float64{1, 1, none}, 2, 1},
		{"eeee", true, []float64{none, none, none}, []float64{none, none, none}, 4, none},
	} {
		f := figures.Of("a", runs(c.states), 4, c.exclude)
		for i := range f.Tries {
			if !near(f.Tries[i].Any, c.at[i]) || !near(f.Tries[i].Each, c.hat[i]) {
				t.Errorf("%s, exclude %v, k %d: %v %v, want %v %v", c.states, c.exclude, f.Tries[i].K, f.Tries[i].Any, f.Tries[i].Each, c.at[i], c.hat[i])
			}
		}
		if f.Excluded != c.excluded || !near(f.Score, c.meanScore) {
			t.Errorf("%s: %d excluded, score %v", c.states, f.Excluded, f.Score)
		}
	}
	f := figures.Of("a", runs("ppp"), 3, false)
	if f.Usual.Seconds != 1 || f.Usual.Requests != 10 || len(f.Tries) != 3 || f.Tries[2].K != 3 {
		t.Errorf("%+v", f)
	}
	// A thousand runs: no overflow.
	many := figures.Of("a", runs(string(make([]rune, 0))), 1000, false)
	if len(many.Tries) != 11 {
		t.Errorf("%d steps", len(many.Tries))
	}
}

func TestThresholds(t *testing.T) {
	for text, want := range map[string]string{
		"pass^1>=0.5": "met", "pass^1>0.5": "missed", "pass@2>=0.8": "met", "pass^2>=0.2": "missed", "score >= .5": "met", "pass^2>=0.1": "met",
		"pass^5>=0.1": "refused", "pass^0>=0.1": "refused", "pass>=1": "refused", "score<1": "refused", "score>1": "refused", "score>=1.5": "refused", "": "refused",
	} {
		got := "refused"
		if th, err := figures.ParseThreshold(text, 4); err == nil {
			got = "missed"
			if _, met := th.Met([][]outcome.Run{runs("pptf")}, false); met {
				got = "met"
			}
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	th, err := figures.ParseThreshold("pass^1>=0.1", 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, met := th.Met([][]outcome.Run{runs("pp"), runs("ee")}, true); met {
		t.Error("a task of which no run counts meets the threshold")
	}
}
