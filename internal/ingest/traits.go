package ingest

import (
	"cmp"
	"context"
	"slices"

	"understudy/internal/platform/budget"
	db "understudy/internal/platform/store"
)

// TraitValues are the values of a trait, by the number of their users.
type TraitValues struct {
	Name   string
	Values []TraitValue
	More   bool // there are less frequent values
}

// TraitValue is one of them.
type TraitValue struct {
	Value string
	Count int64
}

// maxTraitValues bounds the listed values of a trait.
const maxTraitValues = 1000

// Traits lists the traits of the users that match the filter, by name, from the
// names after one on; "" for all. more reports that others follow, because they would
// make the reply too long.
func (in *Ingest) Traits(ctx context.Context, project string, f Filter, after string) (out []TraitValues, more bool, err error) {
	wanted, err := in.usersOf(ctx, project, f)
	if err != nil {
		return nil, false, err
	}
	c := traitCounts{limit: maxTraitValues, page: budget.NewPage(ctx)}
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return eachTrait(tx, project, after, func(name, value, user string) error {
			if wanted != nil && !wanted[user] {
				return nil
			}
			err := c.add(name, value, 1)
			if more = err == nil && c.page.Full(); more {
				return db.Stop()
			}
			return err
		})
	})
	if more {
		return c.done, true, err
	}
	return c.end(), false, err
}

// traitCounts counts the values of traits. It keeps the most frequent values of each
// trait, so that its memory does not grow with their number.
type traitCounts struct {
	limit int // values of each trait
	page  *budget.Page
	bytes int           // about the length of done in a reply
	done  []TraitValues // of the traits before the last one
	last  TraitValues
}

// add counts a value n times. Values arrive by name and value. It returns the errors
// of budget.Page.
func (c *traitCounts) add(name, value string, n int64) error {
	v := c.last.Values
	if len(v) > 0 && c.last.Name == name && v[len(v)-1].Value == value {
		v[len(v)-1].Count += n
		return nil
	}
	var err error
	if c.last.Name != name {
		err = c.finish()
		c.last.Name = name
	} else if len(v) >= 2*c.limit+2 {
		c.cut()
	}
	c.last.Values = append(c.last.Values, TraitValue{value, n})
	return err
}

// cut keeps the most frequent values of the last trait.
func (c *traitCounts) cut() {
	v := c.last.Values
	slices.SortFunc(v, func(a, b TraitValue) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value)) })
	c.last.More = c.last.More || len(v) > c.limit
	c.last.Values = v[:min(len(v), c.limit)]
}

// finish moves the last trait to done.
func (c *traitCounts) finish() error {
	if len(c.last.Values) == 0 {
		return nil
	}
	c.cut()
	c.last.Values = slices.Clone(c.last.Values)
	size := 6 * len(c.last.Name)
	for _, v := range c.last.Values {
		size += 6*len(v.Value) + 32 // a character may need six bytes in JSON
	}
	c.done, c.last = append(c.done, c.last), TraitValues{}
	c.bytes += size
	return c.page.Add(size)
}

// end returns all traits.
func (c *traitCounts) end() []TraitValues {
	_ = c.finish() // the reservation is for what comes after it
	return c.done
}
