// Package seed defines messaging's part of a seed document. It contains no rules:
// the service that applies the document checks it.
package seed

import "understudy/internal/platform/seeddoc"

// Document is the part of messaging.
type Document struct {
	seeddoc.Pos
	Users    seeddoc.Named[User]         `seed:"users" doc:"People of the default workspace. One whose e-mail address is there already is used as it is."`
	Apps     seeddoc.Named[App]          `seed:"apps" doc:"Apps that are installed, with their tokens in the reply. One of this name that a document has made before is used as it is."`
	Channels seeddoc.Named[Channel]      `seed:"channels" doc:"Channels and direct conversations. A channel whose name is there already is added to."`
	Emoji    seeddoc.Named[seeddoc.Text] `seed:"emoji" doc:"Custom emoji of the workspace, each with the address of its image."`
	Messages []Message                   `seed:"messages" doc:"Messages in any order; they stand in the order of their times."`
}

// User is a person.
type User struct {
	seeddoc.Pos
	ID          string       `seed:"id" doc:"U and 8 or more of A-Z and 0-9; made up when left out."`
	Email       string       `seed:"email,required"`
	Name        string       `seed:"name" doc:"The real name; the document's own name when left out."`
	Handle      string       `seed:"handle" doc:"The user name; made of the e-mail address when left out."`
	DisplayName string       `seed:"display_name"`
	Title       string       `seed:"title"`
	Phone       string       `seed:"phone"`
	StatusText  string       `seed:"status_text"`
	StatusEmoji string       `seed:"status_emoji" doc:"Such as :palm_tree:."`
	Presence    string       `seed:"presence" enum:"auto,away"`
	Admin       bool         `seed:"admin"`
	Deleted     bool         `seed:"deleted" doc:"A deactivated user."`
	Created     seeddoc.Time `seed:"created,past"`
}

// App is an app with its bot user, which other parts of the document refer to
// like a person.
type App struct {
	seeddoc.Pos
	Manifest      seeddoc.Object `seed:"manifest" doc:"An app manifest. Without a name the app has the document's own; without bot scopes it has all of them."`
	Interactivity string         `seed:"interactivity" doc:"The URL that clicks, choices and shortcuts are sent to."`
	Commands      []AppCommand   `seed:"commands"`
	Subscriptions []Subscription `seed:"subscriptions" doc:"Events that its bot may see. No handshake is made."`
	Workspace     seeddoc.Ref    `seed:"workspace" doc:"Id, domain or name; the default workspace when left out."`
}

// AppCommand is a slash command.
type AppCommand struct {
	seeddoc.Pos
	Command      string `seed:"command,required" doc:"With its slash, such as /approve."`
	URL          string `seed:"url,required"`
	Description  string `seed:"description"`
	UsageHint    string `seed:"usage_hint"`
	ShouldEscape bool   `seed:"should_escape" doc:"Write people and channels that the text names as ids."`
}

// Subscription is an address to which events are delivered.
type Subscription struct {
	seeddoc.Pos
	URL        string   `seed:"url,required"`
	EventTypes []string `seed:"event_types,required"`
}

// Channel is a conversation.
type Channel struct {
	seeddoc.Pos
	ID       string        `seed:"id" doc:"C and 8 or more of A-Z and 0-9; made up when left out."`
	Name     string        `seed:"name" doc:"The document's own name when left out."`
	Kind     string        `seed:"kind" enum:"public,private,direct" doc:"public when left out; a direct conversation is known by its members."`
	Topic    *string       `seed:"topic"`
	Purpose  *string       `seed:"purpose"`
	Creator  seeddoc.Ref   `seed:"creator" doc:"The workspace's owner when left out."`
	Members  []seeddoc.Ref `seed:"members" doc:"Beside the creator and all who have a message in it."`
	Left     []seeddoc.Ref `seed:"left" doc:"Who have messages in it and are no members any more."`
	Archived bool          `seed:"archived"`
	Created  seeddoc.Time  `seed:"created,past"`
}

// Message is a message or a reply.
type Message struct {
	seeddoc.Pos
	Key         string                       `seed:"key" doc:"A name by which replies refer to it."`
	Channel     seeddoc.Ref                  `seed:"channel,required"`
	User        seeddoc.Ref                  `seed:"user,required"`
	Text        string                       `seed:"text" doc:"In mrkdwn. <@name> and <#name> with names of this document become mentions."`
	TS          seeddoc.Text                 `seed:"ts" doc:"The exact timestamp, such as 1767225600.000100; it must be free."`
	At          seeddoc.Time                 `seed:"at" doc:"When, if ts is left out; now when both are."`
	Parent      seeddoc.Ref                  `seed:"parent" doc:"Key or ts of the message that this replies to."`
	Broadcast   bool                         `seed:"broadcast" doc:"A reply that also stands in the channel."`
	Blocks      seeddoc.Raw                  `seed:"blocks"`
	Attachments seeddoc.Raw                  `seed:"attachments"`
	Metadata    seeddoc.Raw                  `seed:"metadata"`
	Reactions   seeddoc.Named[[]seeddoc.Ref] `seed:"reactions" doc:"Emoji names, each with its users."`
}
