package tracker

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// People returns a page of the users of all organizations, in order of
// organization and id, and reports whether there are more.
func (t *Tracker) People(ctx context.Context, q auth.PersonQuery) (out []auth.Person, more bool, err error) {
	err = t.world.Read(ctx, func(tx *store.Tx) error {
		out, more, err = auth.FindPeople(q, func(org, id string, limit int) ([]auth.Person, error) {
			return peopleAfter(tx, org, id, limit)
		})
		return err
	})
	return out, more, err
}

// Person returns the user whom a text names by id, display name or e-mail
// address, in an organization or, with "", in any.
func (t *Tracker) Person(ctx context.Context, org, text string) (p auth.Person, found bool, err error) {
	err = t.world.Read(ctx, func(tx *store.Tx) error {
		people, err := peopleNamed(tx, org, text)
		if err == nil {
			p, found = auth.ChoosePerson(people, text)
		}
		return err
	})
	return p, found, err
}
