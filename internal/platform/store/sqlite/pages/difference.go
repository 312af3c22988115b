// Package pages reads the file format of SQLite and compares two files page by
// page.
//
// A copy of a SQLite world is a copy of its file, and unchanged data remains on
// its page. A leaf of a table with the same bytes on the same page of both files
// contains the same rows, so only the rows of other leaves need to be compared.
// The package reads pages through the table sqlite_dbpage of two open
// connections, or from their memory, and imports no driver.
package pages

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"understudy/internal/platform/store"
)

// Conn runs the statements that read pages.
type Conn interface {
	Query(sql string, args []any) (store.Cursor, error)
	// Content returns the whole file if the connection has it in memory, otherwise
	// nil. It is valid until the connection writes.
	Content() (Content, error)
}

// Difference is the set of pages that differ between two files. It implements
// store.Difference.
type Difference struct {
	sides   [2]*side
	changed map[uint32]bool
	size    int // bytes of a page that SQLite uses
}

// Compare compares the pages of two files as seen by two connections.
func Compare(ctx context.Context, a, b Conn) (*Difference, error) {
	d := &Difference{changed: map[uint32]bool{}}
	for i, c := range []Conn{a, b} {
		var err error
		if d.sides[i], err = newSide(c); err != nil {
			return nil, err
		}
	}
	return d, d.sweep(ctx)
}

// Rows returns the row ids of a table that may differ, or all = true when any row
// may.
func (d *Difference) Rows(table string) (rows []int64, all bool, err error) {
	if len(d.changed) == 0 {
		return nil, false, nil
	}
	var trees [2]*tree
	for i, s := range d.sides {
		if trees[i], err = s.tree(table); err != nil || trees[i] == nil {
			return nil, true, err
		}
	}
	if !trees[0].numbered || !trees[1].numbered { // the rows are in the tree of their key
		return nil, d.differ(trees), nil
	}
	numbers := map[int64]bool{}
	for i, t := range trees {
		for leaf := range t.leaves {
			if !d.changed[leaf] && trees[1-i].leaves[leaf] {
				continue
			}
			page, err := d.sides[i].page(leaf)
			if err != nil {
				return nil, false, err
			}
			if !eachRowID(page, func(n int64) { numbers[n] = true }) {
				return nil, true, nil
			}
		}
	}
	return slices.Sorted(maps.Keys(numbers)), false, nil
}

// differ reports whether any page of two trees differs.
func (d *Difference) differ(trees [2]*tree) bool {
	if !maps.Equal(trees[0].inner, trees[1].inner) || !maps.Equal(trees[0].leaves, trees[1].leaves) {
		return true
	}
	for _, pages := range []map[uint32]bool{trees[0].inner, trees[0].leaves} {
		for p := range pages {
			if d.changed[p] {
				return true
			}
		}
	}
	return false
}

// sweep finds the pages that differ. A page whose overflow pages differ counts as
// different too.
func (d *Difference) sweep(ctx context.Context) error {
	for _, s := range d.sides {
		if err := s.begin(); err != nil {
			return err
		}
		defer s.end()
	}
	next := []uint32{0}           // the next overflow page of each chain
	over := map[uint32][]uint32{} // tree pages with the first overflow page of each long row
	for {
		if len(next)%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var data [2][]byte
		for i, s := range d.sides {
			var err error
			if data[i], err = s.next(); err != nil {
				return err
			}
		}
		if data[0] == nil && data[1] == nil {
			break
		}
		n := uint32(len(next))
		if n == 1 && len(data[0]) > reservedAt {
			d.size = len(data[0]) - int(data[0][reservedAt])
		}
		equal := bytes.Equal(data[0], data[1])
		for i, s := range d.sides {
			if i == 0 || !equal {
				s.note(n, data[i])
			} else {
				s.noteAs(d.sides[0], n)
			}
		}
		if !equal {
			d.changed[n] = true
			next = append(next, 0)
			continue
		}
		next = append(next, number(data[0]))
		if long := overflowOf(data[0], n, d.size); len(long) > 0 {
			over[n] = long
		}
	}
	for tree, firsts := range over {
		for _, p := range firsts {
			for steps := 0; p > 0 && int(p) < len(next) && steps < len(next); steps++ {
				if d.changed[p] {
					d.changed[tree] = true
					break
				}
				p = next[p]
			}
		}
	}
	return nil
}
