package crm

import (
	"context"
	"strconv"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// Portal is a tenant.
type Portal struct {
	ID       int64
	Name     string
	Tier     string
	Currency string
	Created  int64 // microseconds
}

// User is a person of a portal, who is also an owner of records.
type User struct {
	ID, Owner           int64
	Account             string // of the platform's auth
	Email               string
	FirstName, LastName string
}

// Owner is a user to whom records can belong.
type Owner struct {
	ID, UserID          int64
	Email               string
	FirstName, LastName string
	Created, Updated    int64 // microseconds
	Archived            int64 // microseconds, 0 while active
}

// NewPortal are the parameters of CreatePortal.
type NewPortal struct {
	Name                string
	Email               string
	FirstName, LastName string
	PasswordHash        string // in the form of the platform's auth
	Token               string // the text of its first private-app token
}

const (
	// DefaultTier is the credential class of tokens without one.
	DefaultTier = "professional"
	firstID     = schema.FirstID
)

// CreatePortal creates a portal with the standard pipelines, a user who is an
// owner, and a private-app token with all scopes.
func (c *CRM) CreatePortal(ctx context.Context, in NewPortal) (Portal, User, error) {
	var portal Portal
	var user User
	err := c.world.Write(ctx, func(tx *store.Tx) error {
		now := c.now()
		id, err := nextIn(tx, "portal", 1, 1)
		if err != nil {
			return err
		}
		portal = Portal{ID: id, Name: in.Name, Tier: DefaultTier, Currency: "USD", Created: now}
		if err := insertPortal(tx, portal); err != nil {
			return err
		}
		for _, t := range Types {
			if err := insertTally(tx, id, t); err != nil {
				return err
			}
			for _, p := range standard().Pipelines[t.String()] {
				made := p.at(now)
				if err := insertPipeline(tx, id, t, made); err != nil {
					return err
				}
			}
		}
		if user, err = c.addUser(tx, id, in); err != nil {
			return err
		}
		return c.auth.Issue(tx, in.Token, auth.Token{Service: Name, ID: "1", Kind: auth.Key, Tenant: strconv.FormatInt(id, 10),
			Subject: strconv.FormatInt(user.ID, 10), App: "1", Label: "Default private app", Tier: DefaultTier})
	})
	return portal, user, err
}

func (c *CRM) addUser(tx *store.Tx, portal int64, in NewPortal) (User, error) {
	return c.addUserAt(tx, portal, in, c.now())
}

// addUserAt is addUser with the creation time in microseconds.
func (c *CRM) addUserAt(tx *store.Tx, portal int64, in NewPortal, at int64) (User, error) {
	id, err := nextIn(tx, "record", firstID, 2)
	if err != nil {
		return User{}, err
	}
	u := User{ID: id, Owner: id + 1, Email: strings.ToLower(in.Email), FirstName: in.FirstName, LastName: in.LastName}
	if in.PasswordHash != "" {
		acc, err := c.auth.CreateAccount(tx, Name, auth.Account{Email: in.Email, Name: in.FirstName + " " + in.LastName}, in.PasswordHash)
		if err != nil {
			return User{}, err
		}
		u.Account = acc.ID
	}
	return u, insertUser(tx, portal, u, at)
}

// userOfAccount returns the portal and the user of an account.
func (c *CRM) userOfAccount(tx *store.Tx, account string) (portal int64, u User, err error) {
	portal, u, found, err := getUserByAccount(tx, account)
	if err == nil && !found {
		err = auth.BadLogin
	}
	return portal, u, err
}
