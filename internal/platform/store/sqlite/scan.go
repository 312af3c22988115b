package sqlite

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"unsafe"
)

// scanValue stores a value of one of SQLite's five types, as the driver returns
// it, in a variable of a type that services use.
func scanValue(v driver.Value, dest any) error {
	switch d := dest.(type) {
	case *string:
		switch x := v.(type) {
		case string:
			*d = x
			return nil
		case []byte:
			*d = string(x)
			return nil
		}
	case *[]byte:
		switch x := v.(type) {
		case string:
			// The driver has copied it for this row, and nobody else refers to it.
			*d = unsafe.Slice(unsafe.StringData(x), len(x))
			return nil
		case []byte:
			*d = x
			return nil
		case nil:
			*d = nil
			return nil
		}
	case *int64:
		if x, ok := v.(int64); ok {
			*d = x
			return nil
		}
	case *int:
		if x, ok := v.(int64); ok {
			*d = int(x)
			return nil
		}
	case *bool:
		if x, ok := v.(int64); ok {
			*d = x != 0
			return nil
		}
	case *float64:
		switch x := v.(type) {
		case float64:
			*d = x
			return nil
		case int64:
			*d = float64(x)
			return nil
		}
	case **string:
		return scanPointer(v, d)
	case **int64:
		return scanPointer(v, d)
	case **bool:
		return scanPointer(v, d)
	case **float64:
		return scanPointer(v, d)
	case *any:
		*d = v
		return nil
	default:
		return scanNamed(v, reflect.ValueOf(dest))
	}
	return fmt.Errorf("%T does not go into %T", v, dest)
}

func scanPointer[T any](v driver.Value, dest **T) error {
	if v == nil {
		*dest = nil
		return nil
	}
	*dest = new(T)
	return scanValue(v, *dest)
}

// scanNamed scans into a type that is defined over a plain one, such as a string of constants.
func scanNamed(v driver.Value, dest reflect.Value) error {
	if dest.Kind() != reflect.Pointer {
		return fmt.Errorf("cannot scan into %s", dest.Type())
	}
	e := dest.Elem()
	switch x := v.(type) {
	case string:
		if e.Kind() == reflect.String {
			e.SetString(x)
			return nil
		}
		if e.Kind() == reflect.Slice && e.Type().Elem().Kind() == reflect.Uint8 {
			e.SetBytes([]byte(x))
			return nil
		}
	case int64:
		if e.CanInt() {
			e.SetInt(x)
			return nil
		}
		if e.Kind() == reflect.Bool {
			e.SetBool(x != 0)
			return nil
		}
	case []byte:
		if e.Kind() == reflect.Slice && e.Type().Elem().Kind() == reflect.Uint8 {
			e.SetBytes(x)
			return nil
		}
	case nil:
		if e.Kind() == reflect.Slice {
			e.SetZero()
			return nil
		}
	}
	return fmt.Errorf("%T does not go into %s", v, dest.Type())
}
