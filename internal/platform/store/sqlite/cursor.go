package sqlite

import "understudy/internal/platform/store"

// cursor iterates over the rows of a statement after its first step.
type cursor struct {
	stmt  *stmt // nil once it is closed
	row   bool  // positioned at a row
	fresh bool  // Next has not returned that row yet
	err   error
}

func (r *cursor) Next() bool {
	if r.stmt == nil {
		return false
	}
	if !r.fresh {
		r.row, r.err = r.stmt.Step()
	}
	if r.fresh = false; !r.row {
		r.Close()
	}
	return r.row
}

func (r *cursor) Err() error { return r.err }

func (r *cursor) Close() {
	s := r.stmt
	if s == nil {
		return
	}
	if err := s.Reset(); err != nil && r.err == nil {
		r.err = err
	}
	r.stmt, s.busy = nil, false
	if s.once {
		_ = s.Close()
	}
}

func (r *cursor) Scan(dest ...any) error { return r.stmt.Scan(dest...) }

// ScanTogether implements store.Together.
func (r *cursor) ScanTogether(texts *store.Texts, dest ...any) error {
	return r.stmt.ScanTogether(texts, dest...)
}

// ScanRecord implements store.Recorder.
func (r *cursor) ScanRecord(of *store.Record, texts *store.Texts, dest ...any) bool {
	return r.stmt.ScanRecord(of, texts, dest...)
}
