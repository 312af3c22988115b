package native

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
)

// kind is one of SQLite's five types of values.
type kind int

const (
	null kind = iota
	integer
	real
	text
	blob
)

// kindOf returns the type of a value; a number that has been converted to text is
// still a number.
func kindOf(v *sqlite3.Tsqlite3_value) kind {
	switch f := v.Fflags; {
	case f&sqlite3.MEM_Null != 0:
		return null
	case f&sqlite3.MEM_Int != 0:
		return integer
	case f&(sqlite3.MEM_Real|sqlite3.MEM_IntReal) != 0:
		return real
	case f&sqlite3.MEM_Str != 0:
		return text
	}
	return blob
}

func intOf(v *sqlite3.Tsqlite3_value) int64 { return *(*int64)(unsafe.Pointer(&v.Fu)) }

func realOf(v *sqlite3.Tsqlite3_value) float64 {
	if v.Fflags&sqlite3.MEM_IntReal != 0 {
		return float64(intOf(v))
	}
	return v.Fu.Fr
}

// bytesOf returns the bytes of a text or blob, valid until the next step; nil for
// none.
func bytesOf(c *Conn, v *sqlite3.Tsqlite3_value) []byte {
	at, n := v.Fz, int(v.Fn)
	if v.Fflags&sqlite3.MEM_Zero != 0 { // its trailing zeros are not allocated yet
		at = sqlite3.Xsqlite3_value_blob(c.tls, uintptr(unsafe.Pointer(v)))
		n = int(v.Fn)
	}
	if n == 0 {
		return nil
	}
	c.read += int64(n)
	return memory(at, n)
}

func textOf(c *Conn, v *sqlite3.Tsqlite3_value) string {
	b := bytesOf(c, v)
	return strings.Clone(unsafe.String(unsafe.SliceData(b), len(b)))
}

// scan stores a column in a variable of one of the types that services use.
func scan(c *Conn, v *sqlite3.Tsqlite3_value, dest any) error {
	k := kindOf(v)
	switch d := dest.(type) {
	case *string:
		if k == text || k == blob {
			*d = textOf(c, v)
			return nil
		}
	case *[]byte:
		switch k {
		case text, blob:
			*d = bytes.Clone(bytesOf(c, v))
			return nil
		case null:
			*d = nil
			return nil
		}
	case *store.Borrowed:
		switch k {
		case text, blob:
			*d = bytesOf(c, v)
			return nil
		case null:
			*d = nil
			return nil
		}
	case *int64:
		if k == integer {
			*d = intOf(v)
			return nil
		}
	case *int:
		if k == integer {
			*d = int(intOf(v))
			return nil
		}
	case *bool:
		if k == integer {
			*d = intOf(v) != 0
			return nil
		}
	case *float64:
		switch k {
		case real:
			*d = realOf(v)
			return nil
		case integer:
			*d = float64(intOf(v))
			return nil
		}
	case **string:
		return scanPointer(c, v, d)
	case **int64:
		return scanPointer(c, v, d)
	case **bool:
		return scanPointer(c, v, d)
	case **float64:
		return scanPointer(c, v, d)
	case *any:
		if s, same := (*d).(string); same && k == text && string(bytesOf(c, v)) == s { // consecutive rows often have the same value
			return nil
		}
		*d = valueOf(c, v)
		return nil
	default:
		return scanNamed(c, v, reflect.ValueOf(dest))
	}
	return fmt.Errorf("%T does not go into %T", valueOf(c, v), dest)
}

// valueOf returns a value as one of the types of database/sql/driver.
func valueOf(c *Conn, v *sqlite3.Tsqlite3_value) any {
	switch kindOf(v) {
	case integer:
		return intOf(v)
	case real:
		return realOf(v)
	case text:
		return textOf(c, v)
	case blob:
		return bytes.Clone(bytesOf(c, v))
	}
	return nil
}

func scanPointer[T any](c *Conn, v *sqlite3.Tsqlite3_value, dest **T) error {
	if kindOf(v) == null {
		*dest = nil
		return nil
	}
	*dest = new(T)
	return scan(c, v, *dest)
}

// scanNamed scans into a named type, such as a string type with constants.
func scanNamed(c *Conn, v *sqlite3.Tsqlite3_value, dest reflect.Value) error {
	if dest.Kind() != reflect.Pointer {
		return fmt.Errorf("cannot scan into %s", dest.Type())
	}
	e := dest.Elem()
	isBytes := e.Kind() == reflect.Slice && e.Type().Elem().Kind() == reflect.Uint8
	switch kindOf(v) {
	case text:
		if e.Kind() == reflect.String {
			e.SetString(textOf(c, v))
			return nil
		}
		if isBytes {
			e.SetBytes(append([]byte{}, bytesOf(c, v)...))
			return nil
		}
	case integer:
		if e.CanInt() {
			e.SetInt(intOf(v))
			return nil
		}
		if e.Kind() == reflect.Bool {
			e.SetBool(intOf(v) != 0)
			return nil
		}
	case blob:
		if isBytes {
			e.SetBytes(bytes.Clone(bytesOf(c, v)))
			return nil
		}
	case null:
		if e.Kind() == reflect.Slice {
			e.SetZero()
			return nil
		}
	}
	return fmt.Errorf("%T does not go into %s", valueOf(c, v), dest.Type())
}
