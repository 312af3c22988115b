package realtime

import "testing"

// A hub that fell behind may have missed that a client left: the client is
// removed later.
func TestWhoHasLeftIsForgottenInTheEnd(t *testing.T) {
	c := &connection{Client: Client{Subject: "s"}}
	c.gone.Store(true)
	h := &Hub{bySubject: map[string]map[*connection]bool{"s": {c: true}}}
	h.recheck()
	if len(h.bySubject) != 0 {
		t.Errorf("%v", h.bySubject)
	}
}
