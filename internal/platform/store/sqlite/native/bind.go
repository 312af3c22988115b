package native

import (
	"fmt"
	"reflect"

	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
)

const (
	// minRoom and maxRoom bound the bytes that a connection keeps for the arguments
	// of statements. Longer arguments have memory for one run.
	minRoom = 1 << 10
	maxRoom = 32 << 10
)

// arguments is the memory for the text arguments of a running statement. A second
// running statement has its own.
type arguments struct {
	at   uintptr
	size int
	used bool
}

func (a *arguments) free(c *Conn) {
	c.free(a.at)
	*a = arguments{}
}

// allocateFor returns memory for n bytes of arguments of a statement, until release.
func (s *Stmt) allocateFor(n int) (uintptr, error) {
	room := &s.conn.room
	if room.used || n > maxRoom {
		p, err := s.conn.allocate(max(n, 1))
		s.own = p
		return p, err
	}
	if n > room.size || room.at == 0 {
		size := max(minRoom, room.size)
		for size < n {
			size *= 2
		}
		p, err := s.conn.allocate(size)
		if err != nil {
			return 0, err
		}
		room.free(s.conn)
		room.at, room.size = p, size
	}
	room.used, s.shares = true, true
	return room.at, nil
}

// release frees the memory of the arguments.
func (s *Stmt) release() {
	if s.shares {
		s.conn.room.used, s.shares = false, false
	}
	if s.own != 0 {
		s.conn.free(s.own)
		s.own = 0
	}
}

// Bind sets the arguments of the next run. It dereferences pointers, and binds
// bytes as text unless they are a store.Blob.
func (s *Stmt) Bind(args []any) error {
	if len(args) < s.params {
		return fmt.Errorf("%d arguments for %d places", len(args), s.params)
	}
	args = args[:s.params]
	bytes := 0
	for _, a := range args {
		bytes += lengthOf(a)
	}
	at, err := uintptr(0), error(nil)
	if bytes > 0 {
		if at, err = s.allocateFor(bytes); err != nil {
			return err
		}
	}
	for i, a := range args {
		if at, err = s.bind(int32(i+1), a, at); err != nil {
			s.release()
			return err
		}
	}
	return nil
}

// lengthOf returns the length of a text argument in bytes, 0 for others.
func lengthOf(a any) int {
	switch v := a.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case store.Blob:
		return len(v)
	case *string:
		if v != nil {
			return len(*v)
		}
	case int64, int, bool, float64, nil, *int64, *bool, *float64:
	default:
		if v := reflect.ValueOf(a); v.Kind() == reflect.String || v.Kind() == reflect.Slice {
			return v.Len()
		}
	}
	return 0
}

// bind sets one argument, and copies a text to an address. It returns the address
// after the text.
func (s *Stmt) bind(i int32, a any, at uintptr) (uintptr, error) {
	rc, tls := int32(sqlite3.SQLITE_OK), s.conn.tls
	switch v := a.(type) {
	case string:
		return bindText(s, i, v, at)
	case int64:
		rc = sqlite3.Xsqlite3_bind_int64(tls, s.handle, i, v)
	case int:
		rc = sqlite3.Xsqlite3_bind_int64(tls, s.handle, i, int64(v))
	case bool:
		n := int64(0)
		if v {
			n = 1
		}
		rc = sqlite3.Xsqlite3_bind_int64(tls, s.handle, i, n)
	case float64:
		rc = sqlite3.Xsqlite3_bind_double(tls, s.handle, i, v)
	case nil:
		rc = sqlite3.Xsqlite3_bind_null(tls, s.handle, i)
	case []byte:
		if v == nil {
			return s.bind(i, nil, at)
		}
		return bindText(s, i, v, at)
	case store.Blob:
		if v == nil {
			return s.bind(i, nil, at)
		}
		p := s.place(at, len(v))
		copy(memory(p, len(v)), v)
		rc = sqlite3.Xsqlite3_bind_blob(tls, s.handle, i, p, int32(len(v)), 0)
		at += uintptr(len(v))
	default:
		switch plain := store.Argument(a).(type) {
		case string, int64, bool, float64, nil:
			return s.bind(i, plain, at)
		}
		return at, fmt.Errorf("argument %d cannot be of type %T", i, a)
	}
	return at, s.conn.check(rc)
}

// place returns at, or a valid address for an empty text, which would otherwise
// be NULL.
func (s *Stmt) place(at uintptr, n int) uintptr {
	if n == 0 {
		return s.conn.out
	}
	return at
}

func bindText[T string | []byte](s *Stmt, i int32, v T, at uintptr) (uintptr, error) {
	p := s.place(at, len(v))
	copy(memory(p, len(v)), v)
	return at + uintptr(len(v)), s.conn.check(sqlite3.Xsqlite3_bind_text(s.conn.tls, s.handle, i, p, int32(len(v)), 0))
}
