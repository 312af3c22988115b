package ingest

import (
	"context"
	"math"

	"understudy/internal/platform/clock"
	db "understudy/internal/platform/store"
)

// Overview is the sums of a period.
type Overview struct {
	Sums
	Sessions, Users, Customers int64
}

// Overview sums up a period, and the period of the same length before it;
// that one is empty when the period has no beginning.
func (in *Ingest) Overview(ctx context.Context, project string, f Filter) (now, before Overview, err error) {
	if now, err = in.overview(ctx, project, f); err != nil || f.From == 0 {
		return now, before, err
	}
	end := f.To
	if end == 0 {
		if end = in.Now(); end <= f.From { // a clock that is behind: events have real times there
			end = clock.Real().UnixMilli()
		}
	}
	length := end - f.From
	if length <= 0 {
		return now, before, nil
	}
	f.From, f.To = max(f.From-length, 0), f.From
	before, err = in.overview(ctx, project, f)
	return now, before, err
}

func (in *Ingest) overview(ctx context.Context, project string, f Filter) (o Overview, err error) {
	groups, err := in.sum(ctx, project, f, Sum{By: ByNothing, Latency: true, Distinct: []Dimension{ByCustomer}})
	if err != nil {
		return o, err
	}
	for i := range groups {
		o.Sums.Merge(&groups[i].Sums)
		o.Customers = groups[i].Distinct[0]
	}
	if o.Users, err = in.countUsers(ctx, project, f); err != nil {
		return o, err
	}
	o.Sessions, err = in.countSessions(ctx, project, f)
	return o, err
}

// countUsers counts the users that Users lists.
func (in *Ingest) countUsers(ctx context.Context, project string, f Filter) (n int64, err error) {
	users, err := in.usersOf(ctx, project, f)
	if err != nil || users != nil {
		return int64(len(users)), err
	}
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		n, err = allUsers(tx, project)
		return err
	})
	return n, err
}

// countSessions counts the sessions that Sessions lists.
func (in *Ingest) countSessions(ctx context.Context, project string, f Filter) (n int64, err error) {
	if f.byEvent() || f.byUser() || f.bySession() || len(f.Scores) > 0 {
		p, err := in.sessionFilter(ctx, project, f)
		if err != nil || p.m.None {
			return 0, err
		}
		return p.count(ctx, project)
	}
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		n, err = sessionsIn(tx, project, f.From, endOf(f.To))
		return err
	})
	return n, err
}

// count counts the sessions that match the filter. It reads their events once,
// and the sessions page by page.
func (p *sessionFilter) count(ctx context.Context, project string) (n int64, err error) {
	for below, ended := (SessionPosition{Started: math.MaxInt64}), false; !ended; {
		var page []Session
		if page, ended, err = p.in.sessionRows(ctx, project, p.f, below, maxPageRows); err != nil {
			return 0, err
		}
		pass, err := p.passing(ctx, page, maxPageRows)
		if err != nil {
			return 0, err
		}
		for i := range page {
			if pass(&page[i]) {
				n++
			}
			below = SessionPosition{page[i].Started, page[i].ID}
		}
	}
	return n, nil
}
