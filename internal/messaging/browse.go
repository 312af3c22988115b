package messaging

import (
	"context"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// browseStep is how many rows are read at a time while looking for matches.
const browseStep = 500

// BrowseChannels asks for the channels that the caller can see, in order of id.
type BrowseChannels struct {
	Query    string // the beginning of a word of the name or of the purpose; "" for all
	Archived bool   // also archived ones
	After    string // id
	Limit    int
}

// BrowseChannels returns the channels that match, and whether there are more.
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

// BrowsePeople asks for the users of the caller's workspace, in order of id.
type BrowsePeople struct {
	Query string // the beginning of a word of a name; "" for all
	After string // id
	Limit int
}

// BrowsePeople returns the users that match and are not deactivated, and whether there are more.
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

// browse reads rows step by step until it has found enough of them.
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

// beginsAWord reports whether a word of text begins with query, whatever its
// case. The empty query begins every word.
func beginsAWord(query, text string) bool {
	return query == "" || auth.BeginsAWord(strings.ToLower(query), text)
}
