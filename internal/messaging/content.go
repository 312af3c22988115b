package messaging

import (
	"context"
	"strings"
	"unicode/utf8"

	"understudy/internal/messaging/blockkit"
	"understudy/internal/messaging/emoji"
	"understudy/internal/messaging/mrkdwn"
	"understudy/internal/messaging/searchquery"
	"understudy/internal/platform/store"
)

const (
	maxText       = 40_000 // characters; a longer text is cut when posted
	maxUpdateText = 4_000  // characters; a longer text is refused when updated
	maxMarkdown   = 12_000 // characters
)

// content is what a message says, ready to be kept.
type content struct {
	text        string
	blocks      []byte
	attachments []byte
	metadata    []byte
	clientMsgID string
	words       string
}

// draft is content as a caller gave it. Nil means left out.
type draft struct {
	text        string
	markdown    string
	blocks      []byte
	attachments []byte
	metadata    []byte
	mrkdwn      bool
	parse       string // "none", "full" or ""
	linkNames   bool
}

// prepare checks and renders a draft: the work of a post that needs no
// transaction. It returns the refusals of text, blocks, attachments and metadata.
func (s *Service) prepare(ctx context.Context, c Caller, d draft) (*content, error) {
	if d.markdown != "" {
		if d.text != "" || len(d.blocks) > 0 {
			return nil, MarkdownTwice
		}
		if utf8.RuneCountInString(d.markdown) > maxMarkdown {
			return nil, MessageTooLong
		}
		d.text = d.markdown
	}
	out := &content{text: d.text}
	if strings.TrimSpace(d.text) == "" {
		out.text = ""
	}
	if len(d.attachments) > 0 {
		var err error
		if out.attachments, err = blockkit.Attachments(d.attachments, s.blockID); err != nil {
			return nil, err
		}
	}
	if len(d.blocks) > 0 {
		var err error
		if out.blocks, err = blockkit.Blocks(d.blocks, s.blockID); err != nil {
			return nil, err
		}
	}
	if out.text == "" && empty(out.blocks) && empty(out.attachments) {
		return nil, NoText
	}
	if len(d.metadata) > 0 && string(d.metadata) != "{}" {
		var err error
		if out.metadata, err = blockkit.Metadata(d.metadata); err != nil {
			return nil, err
		}
	}
	if out.text != "" {
		o := mrkdwn.Options{Parse: d.parse, LinkNames: d.linkNames, MaxRunes: maxText}
		if d.linkNames || d.parse == "full" {
			o.Resolver = resolver{ctx, s, c}
		}
		out.text = mrkdwn.Normalize(out.text, o)
		if empty(out.blocks) && empty(out.attachments) {
			out.blocks = mrkdwn.RichText(out.text, s.blockID(), d.mrkdwn)
		}
	}
	out.words = searchquery.Words(mrkdwn.Plain(out.text))
	if !empty(out.attachments) || len(d.blocks) > 0 {
		fallback := blockkit.Fallback(out.blocks, out.attachments)
		if out.text == "" && !empty(out.blocks) {
			out.text = mrkdwn.Normalize(blockkit.Fallback(out.blocks, nil), mrkdwn.Options{Parse: "none", MaxRunes: maxText})
		}
		out.words = searchquery.Words(mrkdwn.Plain(out.text) + " " + mrkdwn.Plain(fallback))
	}
	if empty(out.blocks) {
		out.blocks = nil
	}
	if empty(out.attachments) {
		out.attachments = nil
	}
	return out, nil
}

func empty(array []byte) bool { return len(array) == 0 || string(array) == "[]" }

func (s *Service) blockID() string { return s.IDs.Secret(5) }

// resolver finds who and where @name and #name are.
type resolver struct {
	ctx context.Context
	s   *Service
	c   Caller
}

func (r resolver) User(name string) (id string, ok bool) {
	err := r.s.world.Read(r.ctx, func(tx *store.Tx) error {
		u, err := userByName(tx, r.c.Workspace, name)
		if u != nil && !u.Deleted {
			id, ok = u.ID, true
		}
		return err
	})
	return id, ok && err == nil
}

func (r resolver) Channel(name string) (id string, ok bool) {
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

// iconsOf gives the icons member of a message under another name.
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
