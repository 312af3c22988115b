package sqlite

import "testing"

// No page of a connection is in the list that all of them would share.
func TestPageCachesAreSeparate(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, "one")
	shared := &pageCaches.Fgrp
	if pageCaches.FseparateCache != 1 || shared.FnMaxPage != 0 || shared.FnMinPage != 0 || shared.FnPurgeable != 0 {
		t.Errorf("there are pages in the list that all share: %+v", shared)
	}
	s.check(a.Close())
}
