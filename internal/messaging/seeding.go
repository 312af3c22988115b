package messaging

import (
	"context"

	"understudy/internal/messaging/emoji"
	"understudy/internal/messaging/seed"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// Seeding applies a seed document to the default workspace.
type Seeding struct {
	s   *Service
	doc seed.Document
	now int64
}

// ReadSeed reads messaging's part of a seed document and reports errors to r.
func (s *Service) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) *Seeding {
	g := &Seeding{s: s, now: r.Now.UnixMicro()}
	r.Read(part, at, &g.doc)
	keys := map[string]bool{}
	for i := range g.doc.Messages {
		m := &g.doc.Messages[i]
		if m.Key != "" && keys[m.Key] {
			r.Refuse(m.In("key"), "another message has this key")
		}
		keys[m.Key] = true
	}
	return g
}

// Seeded is what a seed document created in messaging, by the document's own
// names.
type Seeded struct {
	Users    map[string]SeededUser    `json:"users"`
	Apps     map[string]SeededApp     `json:"apps,omitempty"`
	Channels map[string]SeededChannel `json:"channels"`
	Messages map[string]SeededMessage `json:"messages"` // only those with a key
}

// SeededUser is a user that a document names.
type SeededUser struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// SeededApp is an app that a document names, with its secrets.
type SeededApp struct {
	AppID             string   `json:"app_id"`
	BotID             string   `json:"bot_id"`
	BotUserID         string   `json:"bot_user_id"`
	BotToken          string   `json:"bot_token"`
	UserToken         string   `json:"user_token,omitempty"`
	SigningSecret     string   `json:"signing_secret"`
	VerificationToken string   `json:"verification_token"`
	Warnings          []string `json:"warnings,omitempty"` // what the manifest requests that the service does not have
}

// SeededChannel is a conversation that a document names.
type SeededChannel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// SeededMessage is a message that a document names.
type SeededMessage struct {
	Channel  string `json:"channel"` // id
	TS       string `json:"ts"`
	ThreadTS string `json:"thread_ts,omitempty"`
}

// seeder applies a document in one attempt of a transaction.
type seeder struct {
	*Seeding
	ctx   context.Context
	tx    *store.Tx
	owner *User
	// allScopes are the scopes of the provisioned bot.
	allScopes []string
	everyone  []*User
	users     map[string]*User // by the document's names
	channels  map[string]*workingChannel
	emoji     emoji.Lookup
	made      Seeded
}

// Apply creates the content of the document. It appends no events when ctx is
// quiet. It returns seeddoc.Invalid with the invalid place.
func (g *Seeding) Apply(ctx context.Context, tx *store.Tx) (any, error) {
	w := &seeder{Seeding: g, ctx: ctx, tx: tx, users: map[string]*User{}, channels: map[string]*workingChannel{},
		made: Seeded{Users: map[string]SeededUser{}, Apps: map[string]SeededApp{}, Channels: map[string]SeededChannel{}, Messages: map[string]SeededMessage{}}}
	p, err := g.s.provisioned(tx, g.s.DefaultWorkspace())
	if err != nil {
		return nil, g.doc.Blame(err)
	}
	w.owner, w.allScopes = p.Admin, p.App.BotScopes
	if w.everyone, err = everyUser(tx, w.owner.Workspace); err != nil {
		return nil, err
	}
	for _, step := range []func() error{w.seedEmoji, w.seedUsers, appSeeder{w}.apply, w.seedChannels, w.seedMessages} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return w.made, nil
}
