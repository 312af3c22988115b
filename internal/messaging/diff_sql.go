package messaging

import (
	"regexp"
	"strings"

	"understudy/internal/platform/store"
)

// mentionedID matches the id in a mention.
var mentionedID = regexp.MustCompile(`[@#][A-Z][A-Z0-9]{5,}\b`)

// nameMentions replaces the ids of users and channels that a text mentions by
// their names.
func nameMentions(tx *store.Tx, workspace, text string) (string, error) {
	var failed error
	names := map[string]string{}
	out := mentionedID.ReplaceAllStringFunc(text, func(found string) string {
		mark, id := found[:1], found[1:]
		if _, known := names[id]; !known {
			table := "msg_user"
			if mark == "#" {
				table = "msg_channel"
			}
			var name string
			if _, err := tx.Get(`SELECT name FROM `+table+` WHERE workspace = ? AND id = ?`, []any{workspace, id}, &name); err != nil {
				failed = err
			}
			names[id] = name
		}
		if names[id] == "" {
			return found
		}
		return mark + strings.TrimPrefix(names[id], mark)
	})
	return out, failed
}
