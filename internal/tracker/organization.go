package tracker

import (
	"context"
	"encoding/json"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Organization is a workspace. Every other entity belongs to one.
type Organization struct {
	entity.Base
	Name         string
	URLKey       string
	LogoURL      string
	PreviousKeys string
	Settings     string // JSON of OrganizationSettings

	Options       OrganizationSettings
	UserCount     int64
	CreatedIssues int64
}

// OrganizationSettings are the settings of an organization. No rule depends on them.
// They have these names in the database and in replies.
type OrganizationSettings struct {
	AIDiscussionSummaries     bool     `json:"aiDiscussionSummariesEnabled"`
	AIThreadSummaries         bool     `json:"aiThreadSummariesEnabled"`
	UploadContentTypes        []string `json:"allowedFileUploadContentTypes"`
	Customers                 bool     `json:"customersEnabled"`
	FeedSummarySchedule       string   `json:"defaultFeedSummarySchedule"`
	HomeView                  *string  `json:"defaultHomeView"`
	HomeViewTarget            *string  `json:"defaultHomeViewTargetId"`
	Feed                      bool     `json:"feedEnabled"`
	FiscalYearStartMonth      float64  `json:"fiscalYearStartMonth"`
	GitBranchFormat           *string  `json:"gitBranchFormat"`
	GitLinkbackDescriptions   bool     `json:"gitLinkbackDescriptionsEnabled"`
	GitLinkbackMessages       bool     `json:"gitLinkbackMessagesEnabled"`
	GitPublicLinkbackMessages bool     `json:"gitPublicLinkbackMessagesEnabled"`
	HIPAA                     bool     `json:"hipaaComplianceEnabled"`
	InitiativeReminderWeeks   *float64 `json:"initiativeUpdateReminderFrequencyInWeeks"`
	InitiativeReminderDay     string   `json:"initiativeUpdateRemindersDay"`
	InitiativeReminderHour    float64  `json:"initiativeUpdateRemindersHour"`
	ProjectReminderWeeks      *float64 `json:"projectUpdateReminderFrequencyInWeeks"`
	ProjectReminderDay        string   `json:"projectUpdateRemindersDay"`
	ProjectReminderHour       float64  `json:"projectUpdateRemindersHour"`
	PullRequestIssueMode      string   `json:"pullRequestIssueMode"`
	PullRequestTour           bool     `json:"pullRequestTourEnabled"`
	Roadmap                   bool     `json:"roadmapEnabled"`
	SlackChannelPrefix        string   `json:"slackProjectChannelPrefix"`
	SuggestedBranchName       bool     `json:"suggestedBranchNameEnabled"`
}

func organizationDefaults() OrganizationSettings {
	return OrganizationSettings{FeedSummarySchedule: "never", InitiativeReminderDay: "Friday", InitiativeReminderHour: 14,
		ProjectReminderDay: "Friday", ProjectReminderHour: 14, PullRequestIssueMode: "linkOnly", GitLinkbackMessages: true, Roadmap: true}
}

// merge returns the defaults overwritten by stored settings and then by an input, as a
// struct and as JSON for storing.
func merge[T any](defaults T, stored string, input map[string]any) (T, string, error) {
	s := defaults
	if stored != "" {
		if err := json.Unmarshal([]byte(stored), &s); err != nil {
			return s, "", err
		}
	}
	if len(input) == 0 {
		return s, stored, nil
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return s, "", err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, "", BadInput.Because(err)
	}
	raw, err = json.Marshal(s)
	return s, string(raw), err
}

// UpdateOrganization is an input of organizationUpdate.
type UpdateOrganization struct {
	Name     opt.Opt[string]
	URLKey   opt.Opt[string]
	LogoURL  opt.Opt[string]
	Settings map[string]any // by the names of OrganizationSettings
}

// Organization returns the caller's organization.
func (v *View) Organization() (*Organization, error) {
	o, err := Organizations.Find(v, v.Tenant)
	if err != nil || o == nil {
		return nil, err
	}
	return o, Organizations.Complete(v, []*Organization{o})
}

// UpdateOrganization changes the caller's organization. It returns Forbidden
// unless the caller is an admin, and BadArgument or NameTaken for the name or URL
// key.
func (t *Tracker) UpdateOrganization(ctx context.Context, p *auth.Principal, in UpdateOrganization) (*Change[Organization], error) {
	return changed(t, ctx, p, Organizations, func(w *writer) (*Organization, error) {
		if err := w.admin(); err != nil {
			return nil, err
		}
		old, err := w.Organization()
		if err != nil {
			return nil, err
		}
		o := *old
		if in.Name.Set {
			if o.Name = in.Name.Value; required("name", o.Name, 80) != nil {
				return nil, required("name", o.Name, 80)
			}
		}
		o.LogoURL = keep(in.LogoURL, o.LogoURL)
		if key, ok := in.URLKey.Get(); ok && key != o.URLKey {
			if err := freeURLKey(w.Tx, key); err != nil {
				return nil, err
			}
			o.PreviousKeys = strings.TrimSpace(o.PreviousKeys + " " + o.URLKey)
			o.URLKey = key
		}
		if _, o.Settings, err = merge(organizationDefaults(), o.Settings, in.Settings); err != nil {
			return nil, err
		}
		return saved(w, Organizations, old, &o)
	})
}

// keep returns the value of an optional value: zero for null, and old if the value is
// absent.
func keep[T any](o opt.Opt[T], old T) T {
	if !o.Set {
		return old
	}
	return o.Value
}

// freeURLKey returns BadArgument for a malformed key and NameTaken for one that
// is in use.
func freeURLKey(tx *store.Tx, key string) error {
	if len(key) < 2 || len(key) > 32 || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || key[0] == '-' || key[len(key)-1] == '-' {
		return badArgument("urlKey", "urlKey must have 2 to 32 characters of a-z, 0-9 and -")
	}
	taken, err := urlKeyTaken(tx, key)
	if err == nil && taken {
		err = NameTaken.At("urlKey").Detailf("The URL key %s is taken.", key)
	}
	return err
}

// CreateOrganization describes a new organization, whose owner is the user of an
// account.
type CreateOrganization struct {
	Name, URLKey   string
	Account        auth.Account
	UserID         string // generated when empty
	OrganizationID string
}

// CreateOrganization creates an organization inside the caller's transaction, so
// that accounts and tokens can be created with it. It returns BadArgument or
// NameTaken.
func (t *Tracker) CreateOrganization(tx *store.Tx, in CreateOrganization) (*Organization, *User, error) {
	if err := required("name", in.Name, 80); err != nil {
		return nil, nil, err
	}
	if in.URLKey == "" {
		in.URLKey = slug(in.Name, 32)
	}
	if err := freeURLKey(tx, in.URLKey); err != nil {
		return nil, nil, err
	}
	now := t.Clock.Micros()
	if in.OrganizationID == "" {
		in.OrganizationID = t.IDs.UUID()
	}
	if in.UserID == "" {
		in.UserID = t.IDs.UUID()
	}
	o := &Organization{Base: entity.Base{ID: in.OrganizationID, Org: in.OrganizationID, Created: now, Updated: now}, Name: in.Name, URLKey: in.URLKey}
	if err := Organizations.Insert(tx, o); err != nil {
		return nil, nil, err
	}
	if err := insertSync(tx, o.ID); err != nil {
		return nil, nil, err
	}
	for i, s := range []ProjectStatus{{Name: "Backlog", Type: "backlog", Color: "#bec2c8", Indefinite: true}, {Name: "Planned", Type: "planned", Color: "#e2e2e2"},
		{Name: "In Progress", Type: "started", Color: "#f2c94c"}, {Name: "Paused", Type: "paused", Color: "#95a2b3", Indefinite: true},
		{Name: "Completed", Type: "completed", Color: "#5e6ad2"}, {Name: "Canceled", Type: "canceled", Color: "#95a2b3"}} {
		s.Base, s.Position = entity.Base{ID: t.IDs.UUID(), Org: o.ID, Created: now, Updated: now}, float64(i)
		if err := ProjectStatuses.Insert(tx, &s); err != nil {
			return nil, nil, err
		}
	}
	u := t.newUser(o.ID, in.UserID, in.Account)
	u.Admin, u.Owner = true, true
	return o, u, Users.Insert(tx, u)
}
