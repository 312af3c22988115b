package console

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"understudy/internal/platform/environment"
)

// The appended JSON says the same as the encoding of the described reply, of which it has all members.
func TestEnvironmentsAreWrittenAsDescribed(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 120_000_000, time.UTC)
	parent := "default"
	counts, err := environment.NewServiceCounts(map[string]environment.Counts{"crm": {"companies": 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []environmentReply{
		{},
		{briefReply: briefReply{ID: "a", Name: "\"ünï\" <b> & \\ \u2028", Parent: &parent, CreatedAt: at, ExpiresAt: &at, RateLimits: "x1.5", Ephemeral: true},
			SizeBytes: 1 << 40, Clock: clockReply{at.Add(time.Nanosecond), true}, Counts: counts},
	} {
		for _, x := range []interface{ AppendJSON([]byte) []byte }{one, one.briefReply} {
			want, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if err := json.Unmarshal(want, &a); err != nil {
				t.Fatal(err)
			}
			written := x.AppendJSON([]byte("  "))
			if err := json.Unmarshal(written, &b); err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%v\n%s\nwant\n%s", err, written, want)
			}
		}
	}
}
