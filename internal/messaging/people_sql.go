package messaging

import (
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// livingWorkspace is the condition that a user's workspace is not deleted.
const livingWorkspace = `EXISTS (SELECT 1 FROM msg_workspace w WHERE w.id = u.workspace AND NOT w.deleted)`

func peopleAfter(tx *store.Tx, workspace, id string, limit int) ([]auth.Person, error) {
	return asPeople(queryUsers(tx, `(u.workspace > ? OR u.workspace = ? AND u.id > ?) AND `+livingWorkspace+` ORDER BY u.workspace, u.id LIMIT ?`,
		workspace, workspace, id, limit))
}

func peopleNamed(tx *store.Tx, workspace, text string) ([]auth.Person, error) {
	lower := strings.ToLower(text)
	return asPeople(queryUsers(tx, `(u.id = ? OR u.name = ? OR u.email = ?) AND (u.workspace = ? OR ? = '') AND `+livingWorkspace+`
		ORDER BY u.deleted, u.created, u.workspace, u.id LIMIT 100`, text, lower, lower, workspace, workspace))
}

func asPeople(users []*User, err error) ([]auth.Person, error) {
	out := make([]auth.Person, len(users))
	for i, u := range users {
		out[i] = personOf(u)
	}
	return out, err
}
