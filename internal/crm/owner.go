package crm

import "strings"

// OwnerFilter selects owners in a list.
type OwnerFilter struct {
	Email    string // exact, ignoring case; "" for all
	Archived bool
	After    int64
	Limit    int
}

// Owners lists owners in the order of ids and reports whether more follow.
func (d *Definitions) Owners(f OwnerFilter) (out []Owner, more bool) {
	for _, o := range d.owners {
		if (o.Archived != 0) != f.Archived || o.ID <= f.After || f.Email != "" && !strings.EqualFold(o.Email, f.Email) {
			continue
		}
		if len(out) == f.Limit {
			return out, true
		}
		out = append(out, o)
	}
	return out, false
}

// FindOwner returns an owner by owner id, or by user id. It returns OwnerNotFound and BadRecordID.
func (d *Definitions) FindOwner(key string, byUser, archived bool) (Owner, error) {
	id, err := parseID(key)
	if err != nil {
		return Owner{}, err
	}
	for _, o := range d.owners {
		if (o.Archived != 0) == archived && (byUser && o.UserID == id || !byUser && o.ID == id) {
			return o, nil
		}
	}
	return Owner{}, OwnerNotFound
}
