package ingest

import (
	"context"

	db "understudy/internal/platform/store"
)

// UserSums is the sums of a user.
type UserSums struct {
	Sums
	Sessions int64
}

// SumUsers returns the sums of some users by a filter. Sessions are those that
// began in the period or, with a filter by event, those that have such an event.
func SumUsers(ctx context.Context, in *Ingest, project string, f Filter, users []User) ([]UserSums, error) {
	out := make([]UserSums, len(users))
	at := make(map[string]*UserSums, len(users))
	f.Users = nil
	args := make([]any, len(users))
	for i, u := range users {
		at[u.ID], args[i] = &out[i], u.ID
		f.Users = append(f.Users, u.ID)
	}
	if len(users) == 0 {
		return out, nil
	}
	byEvent := f.byEvent() || f.bySession() || len(f.Scores) > 0
	q := Sum{By: ByUser}
	if byEvent {
		q.Distinct = []Dimension{BySession}
	}
	groups, err := in.sum(ctx, project, f, q)
	if err != nil {
		return nil, err
	}
	for i := range groups {
		if s := at[groups[i].Key]; s != nil {
			if s.Sums = groups[i].Sums; byEvent {
				s.Sessions = groups[i].Distinct[0]
			}
		}
	}
	if byEvent {
		return out, nil
	}
	return out, in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return sessionsByUser(tx, project, f.From, endOf(f.To), args, func(user string, n int64) {
			if s := at[user]; s != nil {
				s.Sessions = n
			}
		})
	})
}
