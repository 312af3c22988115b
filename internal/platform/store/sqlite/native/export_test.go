package native

import "understudy/internal/platform/store"

// RecordOf returns the record of the current row.
func RecordOf(s *Stmt, of *store.Record) []byte {
	var a, c string
	var b int64
	s.ScanRecord(of, &store.Texts{}, &a, &b, &c)
	return s.record(s.layout.root)
}

// ScanBytes reads a record as one of the table that RecordOf was called for.
func ScanBytes(s *Stmt, record string, dest ...any) bool { return s.layout.scan(record, dest) }
