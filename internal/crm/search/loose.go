package search

import (
	"errors"
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

const (
	// maxLoose is the most loose records that a search tests one by one.
	maxLoose = 4_096
	// maxLooseBytes is the most that their properties may have.
	maxLooseBytes = 16 << 20
)

// errLoose means that the loose records are too many or too large.
var errLoose = errors.New("the index lacks too much")

// loose are the records whose state an index lacks.
type loose struct {
	live map[int64]*schema.Record // those that are not archived
	// gone are the ids that results of the index must leave out, in ascending order:
	// of records that have changed since they were indexed, also of archived ones.
	gone []int64
}

// readLoose reads the records of a type whose state an index lacks that has not
// reached the ids from from on. It returns errLoose.
func readLoose(tx *store.Tx, f *Fields, from int64) (*loose, error) {
	l := &loose{live: map[int64]*schema.Record{}}
	var err error
	if l.gone, err = pendingIDs(tx, maxLoose+1); err != nil {
		return nil, err
	}
	if len(l.gone) > maxLoose {
		return nil, errLoose
	}
	room := maxLooseBytes
	fits := func(r *schema.Record) error {
		if room -= len(r.Bag); room < 0 {
			return errLoose
		}
		return nil
	}
	changed, err := readRecordsWith(tx, f, l.gone, fits)
	if err != nil {
		return nil, err
	}
	newer, err := recordsFrom(tx, f, from, maxLoose+1, fits)
	if err != nil {
		return nil, err
	}
	if len(newer) > maxLoose {
		return nil, errLoose
	}
	for id, r := range changed {
		if r.Archived == 0 {
			l.live[id] = r
		}
	}
	for _, r := range newer {
		l.live[r.ID] = r
	}
	return l, nil
}

// wordsBehind returns the records that the index of words lacks, nil for none. It
// returns errLoose.
func wordsBehind(tx *store.Tx, f *Fields) (*loose, error) {
	mark, last, pending, err := progress(tx)
	if err != nil || mark >= last && !pending {
		return nil, err
	}
	return readLoose(tx, f, mark+1)
}

// known removes from what an index returned the records whose state it lacks.
func (l *loose) known(ids []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		_, gone := slices.BinarySearch(l.gone, id)
		return gone
	})
}
