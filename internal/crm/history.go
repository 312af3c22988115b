package crm

import (
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// HistoryEntry is one value of a property over time.
type HistoryEntry struct {
	Value            string
	At               int64 // microseconds
	Source, SourceID string
	UserID           int64 // 0 for none
}

// revision holds the values that one write replaced.
type revision struct {
	at               int64
	source, sourceID string
	user             int64
	before           map[string]*string
}

// addHistory adds the values of properties over time, newest first. A revision
// contains the time of a write and the replaced values, so the history is built
// backwards from the current value; the first value dates from the creation. It
// returns the number of records that the page has room for, at least one, and
// leaves the others unchanged.
func addHistory(tx *store.Tx, d *Definitions, records []*Record, names []string, page *budget.Page) (int, error) {
	for i, r := range records {
		if i > 0 && page.Full() {
			return i, nil
		}
		revisions, err := listRevisions(tx, d.Portal.ID, r.ID, page)
		if err != nil {
			return 0, err
		}
		r.History = map[string][]HistoryEntry{}
		for _, name := range names {
			p := d.Property(r.Type, name)
			if p == nil {
				continue
			}
			value, stored := r.Value(p), name
			if p.Alias != "" {
				stored = p.Alias
			}
			entries := []HistoryEntry{}
			for _, rev := range revisions {
				before, ok := rev.before[stored]
				if !ok {
					continue
				}
				entries = append(entries, HistoryEntry{value, rev.at, rev.source, rev.sourceID, rev.user})
				if value = ""; before != nil {
					value = *before
				}
			}
			if value != "" {
				entries = append(entries, HistoryEntry{value, r.Created, r.Source, r.SourceID, 0})
			}
			r.History[name] = entries
		}
	}
	return len(records), nil
}
