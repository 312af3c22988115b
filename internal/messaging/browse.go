package messaging

import (
	"context"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// browseStep is how many rows are read at a time when filtering.
const browseStep = 500

// BrowseChannels are the parameters of Service.BrowseChannels.
type BrowseChannels struct {
	Query    string // a prefix of a word of the name or purpose; "" for all
	Archived bool   // include archived channels
	After    string // id
	Limit    int
}

// BrowseChannels returns the matching channels that the caller can see, in the
// order of ids, and whether there are more.
func (s *Service) BrowseChannels(ctx context.Context, c Caller, in BrowseChannels) (out []*Channel, more bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		ask := ListChannels{Kinds: []Kind{Public, Private}, ExcludeArchived: !in.Archived, After: in.After, Limit: browseStep}
		out, more, err = browse(in.Limit, func(after string) ([]*Channel, error) {
			if after != "" {
				ask.After = after
			}
			return listChannels(tx, c, ask)
		}, func(ch *Channel) string { return ch.ID }, func(ch *Channel) bool {
			return beginsAWord(in.Query, ch.Name) || beginsAWord(in.Query, ch.Purpose.Value)
		})
		return err
	})
	return out, more, err
}

// BrowsePeople are the parameters of Service.BrowsePeople.
type BrowsePeople struct {
	Query string // a prefix of a word of a name; "" for all
	After string // id
	Limit int
}

// BrowsePeople returns the active users of the caller's workspace that match, in
// the order of ids, and whether there are more.
func (s *Service) BrowsePeople(ctx context.Context, c Caller, in BrowsePeople) (out []*User, more bool, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, more, err = browse(in.Limit, func(after string) ([]*User, error) {
			if after == "" {
				after = in.After
			}
			return listUsers(tx, c.Workspace, after, browseStep)
		}, func(u *User) string { return u.ID }, func(u *User) bool {
			return !u.Deleted && (beginsAWord(in.Query, u.Name) || beginsAWord(in.Query, u.Profile.RealName) || beginsAWord(in.Query, u.Profile.DisplayName))
		})
		return err
	})
	return out, more, err
}

// browse reads rows in steps until limit of them match.
func browse[T any](limit int, read func(after string) ([]T, error), id func(T) string, matches func(T) bool) (out []T, more bool, err error) {
	for after := ""; ; {
		rows, err := read(after)
		if err != nil || len(rows) == 0 {
			return out, false, err
		}
		for _, row := range rows {
			if !matches(row) {
				continue
			}
			if len(out) == limit {
				return out, true, nil
			}
			out = append(out, row)
		}
		after = id(rows[len(rows)-1])
	}
}

// beginsAWord reports whether a word of text begins with query, ignoring case.
// The empty query matches every text.
func beginsAWord(query, text string) bool {
	return query == "" || auth.BeginsAWord(strings.ToLower(query), text)
}
