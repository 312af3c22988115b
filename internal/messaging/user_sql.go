package messaging

import (
	"encoding/json"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

func userColumns(alias string) string {
	const list = `.workspace, #.id, #.account, #.name, #.email, #.is_admin, #.is_owner, #.deleted, #.bot_id, #.app_id, #.presence, #.tz, #.profile, #.created, #.updated`
	out := alias
	for _, c := range list {
		if c == '#' {
			out += alias
		} else {
			out += string(c)
		}
	}
	return out
}

// places returns the scan destinations of userColumns. The caller must call read
// after the scan.
func (u *User) places() []any {
	return []any{&u.Workspace, &u.ID, &u.Account, &u.Name, &u.Email, &u.IsAdmin, &u.IsOwner, &u.Deleted, &u.BotID, &u.AppID,
		&u.Presence, &u.TZ, &u.profile, &u.Created, &u.Updated}
}

func insertUser(tx *store.Tx, u *User) error {
	profile, err := json.Marshal(u.Profile)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO msg_user (workspace, id, account, name, email, is_admin, is_owner, deleted, bot_id, app_id,
		presence, tz, profile, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		u.Workspace, u.ID, u.Account, u.Name, u.Email, u.IsAdmin, u.IsOwner, u.Deleted, u.BotID, u.AppID,
		u.Presence, u.TZ, profile, u.Created, u.Updated)
	return err
}

func updateUser(tx *store.Tx, u *User) error {
	profile, err := json.Marshal(u.Profile)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE msg_user SET name = ?, email = ?, is_admin = ?, is_owner = ?, deleted = ?, presence = ?, tz = ?,
		profile = ?, status_expires = ?, updated = ? WHERE workspace = ? AND id = ?`,
		u.Name, u.Email, u.IsAdmin, u.IsOwner, u.Deleted, u.Presence, u.TZ, profile, u.Profile.StatusExpiration*1e6, u.Updated, u.Workspace, u.ID)
	return err
}

// ownerOf returns the owner of a workspace, or nil.
func ownerOf(tx *store.Tx, workspace string) (*User, error) {
	found, err := queryUsers(tx, `u.workspace = ? AND u.is_owner AND NOT u.deleted ORDER BY u.created, u.id LIMIT 1`, workspace)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// updateAccount stores the account of a user.
func updateAccount(tx *store.Tx, u *User) error {
	_, err := tx.Exec(`UPDATE msg_user SET account = ? WHERE workspace = ? AND id = ?`, u.Account, u.Workspace, u.ID)
	return err
}

// unclaimedUsers returns the people with an e-mail address who have no account:
// of one workspace, or with "" of every open one.
func unclaimedUsers(tx *store.Tx, email, workspace string) ([]*User, error) {
	return queryUsers(tx, `u.email = ? AND u.account = '' AND u.email <> '' AND u.bot_id = '' AND NOT u.deleted AND (u.workspace = ? OR ? = ''
		AND EXISTS (SELECT 1 FROM msg_workspace w WHERE w.id = u.workspace AND w.is_open AND NOT w.deleted)) ORDER BY u.workspace, u.id`,
		email, workspace, workspace)
}

func queryUsers(tx *store.Tx, where string, args ...any) ([]*User, error) {
	var out []*User
	err := tx.Each(`SELECT `+userColumns("u")+` FROM msg_user u WHERE `+where, args, func(r store.Row) error {
		u := &User{}
		if err := r.Scan(u.places()...); err != nil {
			return err
		}
		out = append(out, u)
		return u.read()
	})
	return out, err
}

func getUser(tx *store.Tx, workspace, id string) (*User, error) {
	found, err := queryUsers(tx, `u.workspace = ? AND u.id = ?`, workspace, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func userByName(tx *store.Tx, workspace, name string) (*User, error) {
	found, err := queryUsers(tx, `u.workspace = ? AND u.name = ?`, workspace, name)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func listUsers(tx *store.Tx, workspace, after string, limit int) ([]*User, error) {
	return queryUsers(tx, `u.workspace = ? AND u.id > ? ORDER BY u.id LIMIT ?`, workspace, after, limit)
}

// userBytes is the approximate size of a user in a reply, without the profile.
const userBytes = 512

// listUsersWithin is listUsers for a page of limited size: cut reports that long
// profiles filled the page before the limit. It returns budget.Exhausted.
func listUsersWithin(tx *store.Tx, room *budget.Page, workspace, after string, limit int) (out []*User, cut bool, err error) {
	err = tx.Each(`SELECT `+userColumns("u")+` FROM msg_user u WHERE u.workspace = ? AND u.id > ? ORDER BY u.id LIMIT ?`,
		[]any{workspace, after, limit}, func(r store.Row) error {
			if cut = room.Full(); cut {
				return store.Stop()
			}
			u := &User{}
			if err := r.Scan(u.places()...); err != nil {
				return err
			}
			if err := room.Add(len(u.profile) + userBytes); err != nil {
				return err
			}
			out = append(out, u)
			return u.read()
		})
	return out, cut, err
}

func handleTaken(tx *store.Tx, workspace, name string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM msg_user WHERE workspace = ? AND name = ?`, []any{workspace, name}, &one)
}
