package messaging

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/blockkit"
	"understudy/internal/messaging/emoji"
	"understudy/internal/messaging/markdown"
	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/messaging/searchquery"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

const (
	maxUpdateText = 4_000  // characters; an update with a longer text is refused
	maxMarkdown   = 12_000 // characters
)

// content is the content of a message, ready to be stored.
type content struct {
	text        string
	blocks      []byte
	attachments []byte
	metadata    []byte
	clientMsgID string
	words       string
}

// draft is the content that a caller supplied. Nil means left out.
type draft struct {
	text        string
	markdown    string
	blocks      []byte
	attachments []byte
	metadata    []byte
	mrkdwn      bool
	parse       string // "none", "full" or ""
	linkNames   bool
	names       emoji.Lookup // nil for the emoji of the caller's workspace
}

// prepare checks and renders a draft, outside of the transaction of the post. It
// returns NoText and the errors of text, blocks, attachments and metadata.
func (s *Service) prepare(ctx context.Context, c Caller, d draft) (*content, error) {
	out, err := s.compose(ctx, c, d)
	if err == nil && out.empty() {
		err = NoText
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// compose is prepare for a draft that may be empty.
func (s *Service) compose(ctx context.Context, c Caller, d draft) (*content, error) {
	out := &content{text: d.text}
	if strings.TrimSpace(d.text) == "" {
		out.text = ""
	}
	names := d.names
	if names == nil {
		var err error
		if names, err = s.emojiNames(ctx, c.Workspace); err != nil {
			return nil, err
		}
	}
	reader := blockkit.Reader{NewID: s.blockID, Markdown: func(text string) []byte { return markdown.Blocks(text, names) }}
	var refused *fault.Error
	if d.markdown != "" {
		if d.text != "" || len(d.blocks) > 0 {
			return nil, MarkdownTwice
		}
		if utf8.RuneCountInString(d.markdown) > maxMarkdown {
			return nil, MessageTooLong
		}
		if out.blocks, refused = reader.FromMarkdown(d.markdown); refused != nil {
			return nil, refused
		}
	}
	if len(d.attachments) > 0 {
		if out.attachments, refused = reader.Attachments(d.attachments); refused != nil {
			return nil, refused
		}
	}
	if len(d.blocks) > 0 {
		if out.blocks, refused = reader.Blocks(d.blocks); refused != nil {
			return nil, refused
		}
	}
	if empty(out.blocks) {
		out.blocks = nil
	}
	if empty(out.attachments) {
		out.attachments = nil
	}
	if len(d.metadata) > 0 && string(d.metadata) != "{}" {
		if out.metadata, refused = blockkit.Metadata(d.metadata); refused != nil {
			return nil, refused
		}
	}
	switch {
	case out.text != "":
		o := mrkdwn.Options{Parse: parseModes[d.parse], LinkNames: d.linkNames}
		if d.linkNames || o.Parse == mrkdwn.ParseFull {
			o.Resolver = resolver{ctx, s, c}
		}
		out.text = mrkdwn.Normalize(out.text, o)
		if empty(out.blocks) && empty(out.attachments) {
			out.blocks = mrkdwn.RichText(out.text, s.blockID(), d.mrkdwn, names)
			out.words = wordsOf(mrkdwn.Plain(out.text), out.text)
			return out, nil
		}
	case d.markdown != "" || bytes.Contains(d.blocks, []byte(`"markdown"`)):
		out.text = mrkdwn.PlainText(out.blocks)
	case !empty(out.blocks):
		out.text = mrkdwn.FallbackText(out.blocks)
	}
	out.findWords()
	return out, nil
}

// empty reports whether a message with this content would be blank.
func (c *content) empty() bool {
	return c.text == "" && len(c.blocks) == 0 && len(c.attachments) == 0
}

// findWords sets the words by which a search finds the content.
func (c *content) findWords() {
	words := mrkdwn.Plain(c.text)
	if shown := mrkdwn.Plain(mrkdwn.ShownText(c.blocks)); shown != words {
		words += " " + shown
	}
	if len(c.attachments) > 0 {
		words += " " + attachmentWords(c.attachments)
	}
	c.words = wordsOf(words, c.text)
}

// wordsOf returns the words of a rendered text, with one word for each emoji in
// the stored text.
func wordsOf(shown, stored string) string {
	words := searchquery.Words(shown)
	var more []byte
	for i := strings.IndexByte(stored, ':'); i >= 0 && i < len(stored); i++ {
		if stored[i] != ':' {
			continue
		}
		if name, length := mrkdwn.EmojiAt(stored, i, nil); length > 0 {
			base, _, _ := strings.Cut(name, "::")
			more = append(append(more, ' '), searchquery.EmojiWord(base)...)
			i += length - 1
		}
	}
	return words + string(more)
}

var parseModes = map[string]mrkdwn.Parse{"none": mrkdwn.ParseNone, "full": mrkdwn.ParseFull}

// attachmentWords returns the visible text of attachments.
func attachmentWords(attachments []byte) string {
	var list []struct {
		Text, Pretext, Title, Fallback string
		Blocks                         json.RawMessage
		Fields                         []struct{ Title, Value string }
	}
	if json.Unmarshal(attachments, &list) != nil {
		return ""
	}
	var b strings.Builder
	for _, a := range list {
		for _, text := range []string{a.Pretext, a.Title, a.Text} {
			b.WriteString(mrkdwn.Plain(text) + " ")
		}
		if a.Text == "" && a.Title == "" {
			b.WriteString(mrkdwn.Plain(a.Fallback) + " ")
		}
		for _, f := range a.Fields {
			b.WriteString(mrkdwn.Plain(f.Title) + " " + mrkdwn.Plain(f.Value) + " ")
		}
		if len(a.Blocks) > 0 {
			b.WriteString(mrkdwn.Plain(mrkdwn.ShownText(a.Blocks)) + " ")
		}
	}
	return b.String()
}

func empty(array []byte) bool { return len(array) == 0 || string(array) == "[]" }

func (s *Service) blockID() string { return s.IDs.String(ids.Alnum, 5) }

// resolver resolves @name and #name to ids.
type resolver struct {
	ctx context.Context
	s   *Service
	c   Caller
}

func (r resolver) UserID(name string) (id string, ok bool) {
	err := r.s.world.Read(r.ctx, func(tx *store.Tx) error {
		u, err := userByName(tx, r.c.Workspace, name)
		if u != nil && !u.Deleted {
			id, ok = u.ID, true
		}
		return err
	})
	return id, ok && err == nil
}

func (r resolver) ChannelID(name string) (id string, ok bool) {
	err := r.s.world.Read(r.ctx, func(tx *store.Tx) error {
		found, err := channelIDByName(tx, r.c.Workspace, name)
		if err != nil || found == "" {
			return err
		}
		ch, err := getChannelFor(tx, r.c.Workspace, found, r.c.ID)
		if err == nil && (ch.Kind == Public || ch.CallerIsMember) {
			id, ok = found, true
		}
		return err
	})
	return id, ok && err == nil
}

// iconsOf returns the "icons" member of a message with a custom author.
func iconsOf(emojiName, url string) []byte {
	var icons struct {
		Emoji   string `json:"emoji,omitempty"`
		Image36 string `json:"image_36,omitempty"`
		Image48 string `json:"image_48,omitempty"`
		Image72 string `json:"image_72,omitempty"`
	}
	switch {
	case emojiName != "":
		name := strings.Trim(emojiName, ":")
		if canonical, ok := emoji.Canonical(name); ok {
			name = canonical
		}
		icons.Emoji = ":" + name + ":"
	case url != "":
		icons.Image36, icons.Image48, icons.Image72 = url, url, url
	default:
		return nil
	}
	b, err := marshal(icons)
	if err != nil {
		return nil
	}
	return b
}
