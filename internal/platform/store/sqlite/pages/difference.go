// Package pages reads the file format of SQLite and compares two files page by
// page.
//
// A copy of a SQLite world is a copy of its file, and what nobody changes stays
// on its page. A leaf of a table that has the same bytes on the same page of
// both files holds the same rows, so only the rows of the other leaves need to
// be compared. The package reads pages through the table sqlite_dbpage of two
// open connections and imports no driver.
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
}

// Difference knows which pages of two files differ. It implements store.Difference.
type Difference struct {
	sides   [2]Conn
	changed map[uint32]bool
	size    int // bytes of a page that SQLite uses
}

// Compare compares the pages of two files as two connections see them.
func Compare(ctx context.Context, a, b Conn) (*Difference, error) {
	d := &Difference{sides: [2]Conn{a, b}, changed: map[uint32]bool{}}
	return d, d.sweep(ctx)
}

// Rows returns SQLite's numbers of the rows of a table that may differ, or
// all = true when any of its rows may.
func (d *Difference) Rows(table string) (rows []int64, all bool, err error) {
	var trees [2]*tree
	for i, c := range d.sides {
		if trees[i], err = readTree(c, table); err != nil || trees[i] == nil {
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
			page, err := readPage(d.sides[i], leaf)
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

const allPages = `SELECT pgno, data FROM sqlite_dbpage`

// sweep finds the pages that differ. A page whose overflow pages differ counts
// as different too.
func (d *Difference) sweep(ctx context.Context) error {
	a, err := d.sides[0].Query(allPages, nil)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := d.sides[1].Query(allPages, nil)
	if err != nil {
		return err
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
		for i, c := range []store.Cursor{a, b} {
			if !c.Next() {
				if err := c.Err(); err != nil {
					return err
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

// readTree walks over the inner pages of a table. It returns nil when there is
// no such table.
func readTree(c Conn, table string) (*tree, error) {
	var root int64
	err := first(c, `SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?`, table, &root)
	if err != nil || root == 0 {
		return nil, err
	}
	t := &tree{inner: map[uint32]bool{}, leaves: map[uint32]bool{}}
	level := []uint32{uint32(root)}
	for {
		page, err := readPage(c, level[0])
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
			if page, err = readPage(c, p); err != nil {
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

func readPage(c Conn, no uint32) (page []byte, err error) {
	err = first(c, `SELECT data FROM sqlite_dbpage WHERE pgno = ?`, int64(no), &page)
	return page, err
}

// first reads the only column of the first row of a reply, if there is one.
func first(c Conn, sql string, arg, dest any) error {
	rows, err := c.Query(sql, []any{arg})
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(dest); err != nil {
			return err
		}
	}
	return rows.Err()
}
