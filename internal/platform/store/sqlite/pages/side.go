package pages

import (
	"encoding/binary"

	"understudy/internal/platform/store"
)

// side is one of the two compared files.
type side struct {
	conn    Conn
	content Content // the file, where it is in memory, else nil
	size    int     // bytes of a page of content

	pages store.Cursor // during the sweep
	swept int          // pages of content swept so far

	kinds []byte              // of the pages, by number
	below map[uint32][]uint32 // the children of the well-formed inner pages
	roots map[string]uint32   // by table; nil until first needed
}

func newSide(c Conn) (*side, error) {
	s := &side{conn: c, kinds: []byte{0}, below: map[uint32][]uint32{}}
	var err error
	if s.content, err = c.Content(); s.content != nil {
		s.size = sizeOf(s.content)
	}
	return s, err
}

// sizeOf returns the page size in bytes, 0 if the header is invalid.
func sizeOf(c Content) int {
	header := c.Part(0, HeaderOfFile)
	if header == nil {
		return 0
	}
	size := int(binary.BigEndian.Uint16(header[sizeAt:]))
	if size == 1 {
		size = 1 << 16
	}
	if size < leastSize || size&(size-1) != 0 {
		return 0
	}
	return size
}

// begin starts a sweep at the first page.
func (s *side) begin() (err error) {
	if s.size == 0 {
		s.pages, err = s.conn.Query(`SELECT data FROM sqlite_dbpage`, nil)
	}
	return err
}

func (s *side) end() {
	if s.pages != nil {
		s.pages.Close()
	}
}

// next returns the next page, nil after the last.
func (s *side) next() (data []byte, err error) {
	if s.size > 0 {
		if data = s.at(s.swept); data != nil {
			s.swept++
		}
		return data, nil
	}
	if !s.pages.Next() {
		return nil, s.pages.Err()
	}
	err = s.pages.Scan(&data)
	return data, err
}

// at returns a page of content, counted from 0; nil past the end.
func (s *side) at(i int) []byte {
	return s.content.Part(int64(i)*int64(s.size), int64(s.size))
}

// page returns a page by its number.
func (s *side) page(no uint32) (page []byte, err error) {
	if s.size > 0 {
		return s.at(int(no) - 1), nil
	}
	rows, err := s.conn.Query(`SELECT data FROM sqlite_dbpage WHERE pgno = ?`, []any{int64(no)})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(&page); err != nil {
			return nil, err
		}
	}
	return page, rows.Err()
}

// note records the kind of the next page, and its children.
func (s *side) note(no uint32, data []byte) {
	if data == nil {
		return
	}
	kind := kindOf(data, no)
	s.kinds = append(s.kinds, kind)
	if kind == tableInner || kind == indexInner {
		if children, ok := childrenOf(data, no); ok {
			s.below[no] = children
		}
	}
}

// noteAs records a page that is the same in the other file.
func (s *side) noteAs(other *side, no uint32) {
	s.kinds = append(s.kinds, other.kinds[no])
	if children, ok := other.below[no]; ok {
		s.below[no] = children
	}
}

// tree is the pages of a table.
type tree struct {
	numbered      bool // rows are found by row id: not WITHOUT ROWID
	inner, leaves map[uint32]bool
}

// tree returns the pages of a table. It returns nil when there is no such table,
// or it is not well-formed.
func (s *side) tree(table string) (*tree, error) {
	if err := s.readRoots(); err != nil {
		return nil, err
	}
	root, ok := s.roots[table]
	t := &tree{inner: map[uint32]bool{}, leaves: map[uint32]bool{}}
	seen := 0 // a well-formed tree contains each page once
	for level := []uint32{root}; ok; {
		kind := s.kind(level[0])
		t.numbered = kind == tableLeaf || kind == tableInner
		if kind != tableInner && kind != indexInner { // all leaves have the same depth
			for _, p := range level {
				t.leaves[p] = true
			}
			return t, nil
		}
		var below []uint32
		for _, p := range level {
			t.inner[p] = true
			children, known := s.below[p]
			ok = ok && known
			below = append(below, children...)
			if seen++; seen > len(s.kinds) {
				return nil, nil
			}
		}
		level = below
	}
	return nil, nil
}

func (s *side) kind(no uint32) byte {
	if int(no) >= len(s.kinds) {
		return 0
	}
	return s.kinds[no]
}

func (s *side) readRoots() error {
	if s.roots != nil {
		return nil
	}
	s.roots = map[string]uint32{}
	rows, err := s.conn.Query(`SELECT name, rootpage FROM sqlite_master WHERE type = 'table'`, nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var root int64
		if err := rows.Scan(&name, &root); err != nil {
			return err
		}
		if root > 0 {
			s.roots[name] = uint32(root)
		}
	}
	return rows.Err()
}
