package store

import "reflect"

// Blob is an argument that is stored as bytes; a plain []byte is stored as TEXT.
type Blob []byte

// Borrowed is a scan destination for bytes that are used only until the next row,
// so that an engine need not copy them.
type Borrowed []byte

// ScanBytes implements the interface by which pgx passes bytes without a copy. b is
// valid until the next row.
func (b *Borrowed) ScanBytes(bytes []byte) error {
	*b = bytes
	return nil
}

// Argument converts an argument to a value that an engine binds: it dereferences
// pointers and converts bytes to text.
func Argument(a any) any {
	switch v := a.(type) {
	case string, int64, bool, float64, nil:
		return v
	case int:
		return int64(v)
	case []byte:
		if v == nil {
			return nil
		}
		return string(v)
	case Blob:
		return []byte(v)
	case *string:
		if v == nil {
			return nil
		}
		return *v
	case *int64:
		if v == nil {
			return nil
		}
		return *v
	case *float64:
		if v == nil {
			return nil
		}
		return *v
	case *bool:
		if v == nil {
			return nil
		}
		return *v
	}
	return namedArgument(a)
}

// namedArgument converts a value of a named type to its underlying one.
func namedArgument(a any) any {
	v := reflect.ValueOf(a)
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return v.Int()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		if v.IsNil() {
			return nil
		}
		return string(v.Bytes())
	}
	return a
}
