package app_test

import (
	"strings"
	"testing"
)

// An answer that was not given is null to its matcher.
func TestAnAnswerThatWasNotGiven(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		for _, x := range []struct{ answered, answer, want string }{
			{"{present: false}", "", "true"}, {"{not: no}", "", "true"}, {"{present: true}", "", "false"}, {"{contains: o}", "", "false"}, {"no", "", "false"},
			{"{present: false}", "answer: no", "false"}, {"{present: false}", `answer: ""`, "true"}, {"{present: true}", "answer: no", "true"}, {"{not: no}", "answer: no", "false"},
		} {
			want := map[string]string{"true": "passed 1", "false": "failed 0"}[x.want] + ": expect[0]=" + x.want
			if got := checks(w.verdict("expect: [{answered: "+x.answered+"}]\n"+x.answer+"\n", 200)); !strings.HasPrefix(got, want) {
				t.Errorf("an answer of %q meets %s: %s, want %s", x.answer, x.answered, got, want)
			}
		}
		w.verdict("expect: [{answered: null}]", 422) // null is no member, as in seed documents
	})
}
