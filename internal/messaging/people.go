package messaging

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

func personOf(u *User) auth.Person {
	return auth.Person{Tenant: u.Workspace, ID: u.ID, Name: u.Profile.RealName, Handle: u.Name, Email: u.Email, Account: u.Account,
		Admin: u.IsAdmin, Bot: u.IsBot(), Deactivated: u.Deleted}
}

// People returns a page of the users of all workspaces, in the order of workspace
// and id, and reports whether there are more.
func (s *Service) People(ctx context.Context, q auth.PersonQuery) (out []auth.Person, more bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, more, err = auth.FindPeople(q, func(tenant, id string, limit int) ([]auth.Person, error) {
			return peopleAfter(tx, tenant, id, limit)
		})
		if err != nil {
			return err
		}
		return nameWorkspaces(tx, out)
	})
	return out, more, err
}

// Person returns the user with an id, handle or e-mail address, in a workspace
// or, with "", in any.
func (s *Service) Person(ctx context.Context, workspace, text string) (p auth.Person, found bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		people, err := peopleNamed(tx, workspace, text)
		if err == nil {
			p, found = auth.ChoosePerson(people, text)
		}
		return err
	})
	return p, found, err
}

func nameWorkspaces(tx *store.Tx, people []auth.Person) error {
	names := map[string]string{}
	for i, p := range people {
		if _, known := names[p.Tenant]; !known {
			w, err := getWorkspace(tx, p.Tenant)
			if err != nil {
				return err
			}
			if w != nil {
				names[p.Tenant] = w.Name
			}
		}
		people[i].TenantName = names[p.Tenant]
	}
	return nil
}
