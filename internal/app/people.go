package app

import (
	"understudy/internal/crm"
	"understudy/internal/messaging/webapi"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/environment"
)

// Population returns the users of all workspaces.
func (m *messagingInstance) Population() environment.Population {
	return environment.Population{List: m.service.People, Find: m.service.Person,
		Sessions: []environment.SessionKind{{Name: "user_token", Kind: auth.User, Prefix: "xoxp-", Scopes: webapi.UserScopes}, {Name: "jwt", Kind: auth.Session}}}
}

// Population returns the users of all organizations.
func (i *trackerInstance) Population() environment.Population {
	return environment.Population{List: i.tracker.People, Find: i.tracker.Person,
		Sessions: []environment.SessionKind{{Name: "api_key", Kind: auth.Key, Prefix: "trk_api_"}, {Name: "jwt", Kind: auth.Session}}}
}

// Population returns the owners of all portals.
func (i *crmInstance) Population() environment.Population {
	return environment.Population{List: i.crm.People, Find: i.crm.Person,
		Sessions: []environment.SessionKind{{Name: "access_token", Kind: auth.OAuth, Prefix: "acting-", Scopes: crm.AllScopes, Tier: crm.DefaultTier}}}
}
