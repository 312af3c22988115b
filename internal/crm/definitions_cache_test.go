package crm

import "testing"

// Who loads definitions while they change must not put back what was there before.
func TestDefinitionsLoadedBeforeAChangeAreNotKept(t *testing.T) {
	c := &definitionsCache{}
	old := &Definitions{Portal: Portal{ID: 1}, Version: 1}
	_, epoch := c.get(1)
	c.drop(1) // by the change, once it is committed
	c.put(old, epoch)
	if d, _ := c.get(1); d != nil {
		t.Fatalf("version %d is kept after it was changed", d.Version)
	}
	_, epoch = c.get(1)
	c.put(&Definitions{Portal: Portal{ID: 1}, Version: 2}, epoch)
	if d, _ := c.get(1); d == nil || d.Version != 2 {
		t.Fatalf("kept is %v", d)
	}
}
