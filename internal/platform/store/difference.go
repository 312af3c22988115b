package store

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// Difference tells which rows two states of a world may differ in, as far as
// the database can tell without reading them.
//
// A copy of a SQLite world is a copy of its file, and what nobody changes stays
// on its page. A leaf of a table that has the same bytes on the same page of
// both files holds the same rows, so only those of the other leaves need to be
// looked at.
type Difference struct {
	sides   [2]*Tx
	pages   bool // something is known
	changed map[uint32]bool
	size    int // bytes of a page that SQLite uses
}

// Compare looks at the pages of two worlds as two transactions see them. On
// PostgreSQL it knows nothing.
func Compare(ctx context.Context, a, b *Tx) (*Difference, error) {
	d := &Difference{sides: [2]*Tx{a, b}, changed: map[uint32]bool{}}
	if a.dialect != sqliteDialect || b.dialect != sqliteDialect {
		return d, nil
	}
	d.pages = true
	return d, d.sweep(ctx)
}

// Rows gives SQLite's numbers of the rows of a table that may differ, or all
// when any of them may.
func (d *Difference) Rows(table string) (rows []int64, all bool, err error) {
	if !d.pages {
		return nil, true, nil
	}
	var trees [2]*tree
	for i, tx := range d.sides {
		if trees[i], err = d.tree(tx, table); err != nil || trees[i] == nil {
			return nil, true, err
		}
	}
	if !trees[0].numbered || !trees[1].numbered { // the rows stand in the tree of their key
		return nil, d.differ(trees), nil
	}
	numbers := map[int64]bool{}
	for i, t := range trees {
		for leaf := range t.leaves {
			if !d.changed[leaf] && trees[1-i].leaves[leaf] {
				continue
			}
			page, err := pageOf(d.sides[i], leaf)
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

// differ tells whether any page of two trees does.
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

const allPages = `SELECT pgno, data FROM sqlite_dbpage`

// sweep finds the pages that differ. Rows of equal pages that go on elsewhere
// are followed there.
func (d *Difference) sweep(ctx context.Context) error {
	a, err := d.sides[0].conn.query(allPages, nil)
	if err != nil {
		return wrap(allPages, err)
	}
	defer a.Close()
	b, err := d.sides[1].conn.query(allPages, nil)
	if err != nil {
		return wrap(allPages, err)
	}
	defer b.Close()
	next := []uint32{0}           // the page that a page of overflow goes on at
	over := map[uint32][]uint32{} // tree pages, with the first overflow page of each long row
	for {
		if len(next)%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var no [2]int64
		var data [2][]byte
		for i, c := range []cursor{a, b} {
			if !c.Next() {
				if err := c.Err(); err != nil {
					return wrap(allPages, err)
				}
				continue
			}
			if err := c.Scan(&no[i], &data[i]); err != nil {
				return err
			}
		}
		if no == [2]int64{} {
			break
		}
		n := uint32(max(no[0], no[1]))
		if n == 1 {
			d.size = len(data[0]) - int(data[0][reservedAt])
		}
		if !bytes.Equal(data[0], data[1]) {
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

// tree is the pages of a table.
type tree struct {
	numbered      bool // rows are found by number: not WITHOUT ROWID
	inner, leaves map[uint32]bool
}

// tree walks over the inner pages of a table. It gives nil for what is no table.
func (d *Difference) tree(tx *Tx, table string) (*tree, error) {
	var root int64
	found, err := tx.Get(`SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?`, []any{table}, &root)
	if err != nil || !found || root == 0 {
		return nil, err
	}
	t := &tree{inner: map[uint32]bool{}, leaves: map[uint32]bool{}}
	level := []uint32{uint32(root)}
	for {
		page, err := pageOf(tx, level[0])
		if err != nil {
			return nil, err
		}
		kind := kindOf(page, level[0])
		t.numbered = kind == tableLeaf || kind == tableInner
		if kind != tableInner && kind != indexInner { // all leaves are at one depth
			for _, p := range level {
				t.leaves[p] = true
			}
			return t, nil
		}
		var below []uint32
		for _, p := range level {
			t.inner[p] = true
			if page, err = pageOf(tx, p); err != nil {
				return nil, err
			}
			children, ok := childrenOf(page, p)
			if !ok {
				return nil, nil
			}
			below = append(below, children...)
		}
		level = below
	}
}

func pageOf(tx *Tx, no uint32) (page []byte, err error) {
	_, err = tx.Get(`SELECT data FROM sqlite_dbpage WHERE pgno = ?`, []any{int64(no)}, &page)
	return page, err
}
