package crm

import (
	"context"
	"strconv"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

const (
	mergedIDs        = "hs_merged_object_ids"
	additionalEmails = "hs_additional_emails"
	// maxMerges is the most records that may be merged into one.
	maxMerges = 250
)

// MergeRecords merges one record into another: the survivor keeps its values,
// gets those it lacks and the associations of both, and is found by the other's
// id from now on. It returns RecordNotFound, BadRecordID and InvalidRequest.
func (c *CRM) MergeRecords(ctx context.Context, p *auth.Principal, t Type, primary, secondary string) (out *Record, err error) {
	first, err := parseID(primary)
	if err != nil {
		return nil, err
	}
	second, err := parseID(secondary)
	if err != nil {
		return nil, err
	}
	err = c.checked(ctx, portalOf(p), func(d *Definitions) (func(tx *store.Tx) error, error) {
		return func(tx *store.Tx) error {
			// Only one merge at a time, which avoids deadlocks between merges.
			if _, err := nextIn(tx, "record", firstID, 0); err != nil {
				return err
			}
			found, err := lockSurvivors(tx, d.Portal.ID, t, first, second)
			if err != nil {
				return err
			}
			for _, r := range found {
				if r == nil || r.Archived != 0 {
					return RecordNotFound
				}
			}
			if found[0].ID == found[1].ID {
				return invalid("A record cannot be merged with itself: %d", found[0].ID)
			}
			out = found[0]
			return c.merge(tx, p, d, out, found[1])
		}, nil
	})
	c.index.Changed()
	return out, err
}

func (c *CRM) merge(tx *store.Tx, p *auth.Principal, d *Definitions, r, other *Record) error {
	portal := d.Portal.ID
	old, theirs := r.Bag.Map(), other.Bag.Map()
	values := r.Bag.Map()
	for name, v := range theirs {
		if _, linked := linkProperty(r.Type, name); linked || rolledUp[name] {
			continue // derived from the associations, which are merged below
		}
		if values[name] == "" {
			values[name] = v
		}
	}
	merged := append(schema.Split(old[mergedIDs]), schema.Split(theirs[mergedIDs])...)
	merged = append(merged, strconv.FormatInt(other.ID, 10))
	if len(merged) > maxMerges {
		return invalid("A record can take part in at most %d merges.", maxMerges)
	}
	values[mergedIDs] = strings.Join(merged, ";")
	if r.Type == Contacts {
		emails := append(schema.Split(old[additionalEmails]), schema.Split(theirs[additionalEmails])...)
		if e := theirs["email"]; e != "" && e != values["email"] {
			emails = append(emails, e)
		}
		values[additionalEmails] = strings.Join(emails, ";")
	}
	d.compute(r.Type, values, old, r.Created, c.now())
	links, err := listAllLinks(tx, portal, other.Type, other.ID)
	if err != nil {
		return err
	}
	others, err := c.retire(tx, d, other)
	if err != nil {
		return err
	}
	other.Archived, other.Merged = c.now(), r.ID
	if err := updateRecords(tx, portal, []*Record{other}); err != nil {
		return err
	}
	if err := redirectMerged(tx, portal, r.Type, other.ID, r.ID); err != nil {
		return err
	}
	if err := c.saveValues(tx, p, d, r, old, values); err != nil {
		return err
	}
	primary, err := hasPrimary(tx, portal, r)
	if err != nil {
		return err
	}
	var moved []link
	for _, l := range links {
		if l.toID == r.ID && l.to == r.Type {
			continue
		}
		if at := associationType(l.typeID); at != nil && at.Primary && l.to == Companies && primary {
			continue // the survivor keeps its own label; the unlabeled link is moved
		}
		l.fromID = r.ID
		moved = append(moved, l)
	}
	if err := addLinks(tx, portal, moved); err != nil {
		return err
	}
	return c.rollUp(tx, d, append(append(others, touchedBy(moved)...), target{r.Type, r.ID}), r, other)
}
