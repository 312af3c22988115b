package crm

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// People returns a page of the owners of all portals, in the order of portal and
// user id, and reports whether there are more.
func (c *CRM) People(ctx context.Context, q auth.PersonQuery) (out []auth.Person, more bool, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		out, more, err = auth.FindPeople(q, func(portal, user string, limit int) ([]auth.Person, error) {
			return peopleAfter(tx, portal, user, limit)
		})
		return err
	})
	return out, more, err
}

// Person returns the owner with a user id or e-mail address, in a portal or, with
// "", in any.
func (c *CRM) Person(ctx context.Context, portal, text string) (p auth.Person, found bool, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		people, err := peopleNamed(tx, portal, text)
		if err == nil {
			p, found = auth.ChoosePerson(people, text)
		}
		return err
	})
	return p, found, err
}
