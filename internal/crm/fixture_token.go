package crm

import (
	"strconv"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// FixtureToken is a private-app token with a constant text, for use in scripts.
// It is valid in a world after IssueFixtureToken.
const FixtureToken = "pat-na1-d3300000-0000-4000-8000-000000000001"

// fixtureTokenID is the id of FixtureToken.
const fixtureTokenID = "demo"

// IssueFixtureToken creates FixtureToken, which acts as the first user of the first portal.
func (c *CRM) IssueFixtureToken(tx *store.Tx) error {
	d, err := loadToChange(tx, firstPortal)
	if err != nil {
		return err
	}
	return c.auth.Issue(tx, FixtureToken, auth.Token{Service: Name, ID: fixtureTokenID, Kind: auth.Key, Tenant: strconv.Itoa(firstPortal),
		Subject: strconv.FormatInt(d.owners[0].UserID, 10), App: "1", Label: "Demo", Tier: DefaultTier})
}

// HasFixtureToken reports whether FixtureToken is valid.
func (c *CRM) HasFixtureToken(tx *store.Tx) (bool, error) {
	return c.auth.InForce(tx, Name, strconv.Itoa(firstPortal), fixtureTokenID)
}
