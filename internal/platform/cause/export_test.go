package cause

// Bound makes a journal hold fewer changes than MaxRows.
func (j *Journal) Bound(rows int64) { j.list.bound = rows }
