package crm_test

import (
	"testing"

	"understudy/internal/crm"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Everything that is committed is found, however far the index of words was
// behind and however many ids between are of no record.
func TestWordsOfManyNewRecordsAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, _ := newCRM(t, w) // the portal's user has taken ids already
		many := make([]crm.CreateRecord, 1_200)
		for i := range many {
			many[i].Properties = map[string]string{"firstname": "River"}
		}
		if _, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, many, false); err != nil {
			t.Fatal(err)
		}
		found, err := service.Search(t.Context(), p, crm.Contacts, crm.Search{Query: "riv", Limit: 1})
		if err != nil || found.Total != len(many) {
			t.Fatalf("%d of %d are found: %v", found.Total, len(many), err)
		}
	})
}
