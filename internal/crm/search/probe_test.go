package search_test

import (
	"strings"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// With two filters the second is looked up for each candidate of the first. When
// PostgreSQL joined them, of a table that grew since the last ANALYZE it read all rows
// of the second for each candidate: a second for 20,000 contacts.
func TestTheSecondFilterIsLookedUpForEachCandidate(t *testing.T) {
	world := storetest.Postgres(t, []store.Schema{crm.Schema()})
	var plan []string
	err := world.Read(t.Context(), func(tx *store.Tx) error {
		return search.ExplainProbe(tx, func(line string) { plan = append(plan, line) })
	})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(plan, "\n")
	if !strings.Contains(text, "SubPlan") || strings.Contains(text, "Join") || strings.Contains(text, "Nested Loop") {
		t.Errorf("the plan is\n%s", text)
	}
}
