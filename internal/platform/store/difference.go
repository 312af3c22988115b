package store

import "context"

// Difference reports which rows of two states of a world may differ, as far as
// the engine knows without reading the rows.
type Difference interface {
	// Rows returns the numbers of the rows of a table that may differ, or all =
	// true when any row of the table may.
	Rows(table string) (numbers []int64, all bool, err error)
}

// Comparer is a Conn that can compare its state of a world with that of another Conn.
type Comparer interface {
	Compare(ctx context.Context, other Conn) (Difference, error)
}

// Compare compares two worlds as seen by two transactions. If the engine cannot
// compare, the result is Unknown.
func Compare(ctx context.Context, a, b *Tx) (Difference, error) {
	if c, ok := a.conn.(Comparer); ok {
		return c.Compare(ctx, b.conn)
	}
	return Unknown{}, nil
}

// Unknown is the Difference in which all rows may differ.
type Unknown struct{}

// Rows reports that all rows may differ.
func (Unknown) Rows(string) ([]int64, bool, error) { return nil, true, nil }
