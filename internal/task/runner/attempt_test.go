package runner

import (
	"strings"
	"testing"

	"understudy/internal/platform/yamldoc"
	"understudy/internal/task"
	"understudy/internal/task/plane"
)

// What the server refuses of a task is shown with line and field, all of it and
// each place once.
func TestRefusalsOfATaskNameItsLines(t *testing.T) {
	n, err := yamldoc.Parse([]byte("task: a\nworld: {fixture: demo}\nexpect:\n  - {inserted: x, wher: 1}\nbefore:\n  - {person: messaging/x, say: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	one, err := task.Read("a.yaml", n)
	if err != nil {
		t.Fatal(err)
	}
	first := attempt{scene: scene{task: one}}
	both := []plane.Problem{{Field: "expect[0].inserted", Message: "is not an entity"}, {Field: "expect[0].wher", Message: "is not a field here"}}
	for _, row := range []struct {
		err  error
		want string
	}{
		{&plane.Refusal{Status: 400, Code: "unknown_member", Field: "expect[0].wher", Message: "expect[0].wher: There is no member of this name."},
			"a.yaml, line 4, expect[0].wher: There is no member of this name. (unknown_member)"},
		{&plane.Refusal{Status: 400, Code: "unknown_member", Field: "expect[0].wher", Message: "line 1, expect[0].wher: There is no member of this name."},
			"a.yaml, line 4, expect[0].wher: There is no member of this name. (unknown_member)"},
		{&plane.Refusal{Status: 422, Code: "invalid", Field: "expect[0].inserted", Message: "…", Problems: both},
			"a.yaml, line 4, expect[0].inserted: is not an entity; a.yaml, line 4, expect[0].wher: is not a field here"},
		{placed{"before[0]", &plane.Refusal{Status: 404, Code: "person_not_found", Message: "There is nobody."}},
			"a.yaml, line 6, before[0]: There is nobody. (person_not_found)"},
	} {
		if err := first.blame(row.err); !task.IsBad(err) || err.Error() != row.want {
			t.Errorf("%v\nwant %s", err, row.want)
		}
	}
	down := &plane.Refusal{Status: 503, Message: "later"}
	later := attempt{scene: scene{task: one}, number: 1}
	if task.IsBad(first.blame(down)) || task.IsBad(later.blame(&plane.Refusal{Status: 404})) {
		t.Error("the task is blamed for what the server cannot do, or for what only a later run met")
	}
}

// Of what a program writes the end is kept, in bounded memory, with how much came
// before.
func TestTheEndOfAnOutputIsKept(t *testing.T) {
	for _, row := range []struct {
		piece  string
		pieces int
		first  string // line
	}{
		{"x", mostOut, ""},
		{"x", mostOut + 1, "[1 bytes before this were not kept]\n"},
		{strings.Repeat("xyz", 22_000), 100, "[6567232 bytes before this were not kept]\n"},
		{"aé", 50_001, "[117235 bytes before this were not kept]\n"}, // begins within a character
	} {
		out := &tail{}
		for range row.pieces {
			if n, err := out.Write([]byte(row.piece)); n != len(row.piece) || err != nil {
				t.Fatal(n, err)
			}
			if len(out.text) > 2*mostOut || cap(out.text) > 5*mostOut {
				t.Fatalf("%d bytes are kept, in %d", len(out.text), cap(out.text))
			}
		}
		all := strings.Repeat(row.piece, row.pieces)
		if got, want := out.String(), row.first+strings.ToValidUTF8(all[len(all)-mostOut:], "�"); got != want {
			t.Errorf("%d times %.5q: %.60q, want %.60q", row.pieces, row.piece, got, want)
		}
	}
}
