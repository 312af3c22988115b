package environment

import (
	"reflect"
	"testing"

	"understudy/internal/platform/cause"
)

// The state of a journal is read as it was stored, also by earlier versions, which packed it.
func TestTheStateOfAJournalIsReadAsItWasStored(t *testing.T) {
	for name, s := range map[string]storedJournal{
		"new": {State: cause.State{Marks: map[cause.Mark]int64{}}, Layout: -5},
		"used": {State: cause.State{First: 3, Next: 1 << 40, Marks: map[cause.Mark]int64{{Copy: "base_", World: ""}: 4, {Copy: "base_", World: "events"}: 9, {Copy: `a "copy"`, World: ""}: 0},
			Floors: map[string]int64{"": 2, "events": 7}, Stated: map[string]bool{"": true}}, Layout: 1 << 60},
	} {
		stored, err := encodeJournal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := encodeJournal(s)
		if err != nil || string(again) != string(stored) {
			t.Errorf("%s: the same state is stored as %s and as %s: %v", name, stored, again, err)
		}
		if got, err := decodeJournal(stored); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: %+v is read from %s, not %+v: %v", name, got, stored, s, err)
		}
		earlier, err := pack(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeJournal(earlier)
		if got.Marks == nil { // gob stores no empty map
			got.Marks = map[cause.Mark]int64{}
		}
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: %+v is read from an earlier version, not %+v: %v", name, got, s, err)
		}
	}
	for _, broken := range []string{"{", "x", `{"layout":"1"}`} {
		if _, err := decodeJournal([]byte(broken)); err == nil {
			t.Errorf("%s is read", broken)
		}
	}
}
