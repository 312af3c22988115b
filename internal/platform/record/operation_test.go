package record

import "testing"

func TestOperationsAreCheckedWithWhatWasPerhapsMeant(t *testing.T) {
	all := Operations{"crm.GET /crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}", "crm.POST /crm/v3/objects/{objectType}",
		"messaging.GET /health", "messaging.chat.postMessage", "tracker.GET /health"}
	for _, row := range []struct {
		pattern, near string
		ok            bool
	}{
		{"messaging.chat.postMessage", "", true},
		{"messaging.*", "", true},
		{"*", "", true},
		{"crm.POST *", "", true},
		{"messaging.chat.postMesage", "messaging.chat.postMessage", false},
		{"messaging.chat.postmessage", "messaging.chat.postMessage", false},
		{"chat.postMessage", "messaging.chat.postMessage", false},
		{"GET /health", "", false}, // of two services
		{"crm.POST /crm/v3/object/{objectType}", "crm.POST /crm/v3/objects/{objectType}", false},
		{"crm.GET /crm/v3/objects/{objectType}/{objectID}/association/{toObjectType}", all[0], false},
		{"crm.PUT *", "", false},
		{"mail.send", "", false},
	} {
		if near, ok := all.Check(row.pattern); near != row.near || ok != row.ok {
			t.Errorf("%s: %q, %v", row.pattern, near, ok)
		}
	}
	if _, ok := Operations(nil).Check("mail.send"); !ok {
		t.Error("a name was refused where none are known")
	}
}
