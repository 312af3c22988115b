package memdb

import (
	"bytes"

	"understudy/internal/platform/store/sqlite/pages"
)

// TablesOf returns the tables of a database, nil if it is damaged or has another
// page size. The database must not be written to meanwhile.
func TablesOf(d *Database) *pages.Tables {
	d.mu.Lock()
	defer d.mu.Unlock()
	return pages.TablesOf(d, pageSize, func(no uint32, page []byte) []byte {
		if d.own[no-1] {
			return bytes.Clone(page)
		}
		return page
	})
}
