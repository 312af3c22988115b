package messaging

import "understudy/internal/messaging/emoji"

// seedEmoji adds the custom emoji of a document.
func (w *seeder) seedEmoji() error {
	workspace := w.owner.Workspace
	if len(w.doc.Emoji) > 0 {
		w.tx.AfterCommit(func() { w.s.emoji.Drop(workspace) })
	}
	for i := range w.doc.Emoji {
		e := &w.doc.Emoji[i]
		if !isCustomName(e.Name) {
			return e.Refuse("%q is not the name of an emoji: it may have lower-case letters, digits, _, + and -", e.Name)
		}
		if _, taken := emoji.Canonical(e.Name); taken {
			return e.Refuse("%q is the name of a standard emoji", e.Name)
		}
		if !webURL(string(e.Value)) {
			return e.Refuse("must be an http or https address")
		}
		if err := putEmoji(w.tx, workspace, e.Name, string(e.Value), w.now); err != nil {
			return err
		}
	}
	custom, err := listEmoji(w.tx, workspace) // messages of the document may use them
	w.emoji = lookup(custom)
	return err
}
