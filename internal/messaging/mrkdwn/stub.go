// Package mrkdwn is a placeholder until the text package lands.
package mrkdwn

import (
	"strings"

	"understudy/internal/messaging/rawjson"
)

type Resolver interface {
	User(string) (string, bool)
	Channel(string) (string, bool)
}
type Options struct {
	Parse     string
	LinkNames bool
	MaxRunes  int
	Resolver  Resolver
}

func Normalize(t string, o Options) string { return Escape(t) }

var rep = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func Escape(t string) string {
	return rep.Replace(t)
}
func Plain(t string) string { return t }
func RichText(t, id string, m bool) []byte {
	b := []byte(`[{"type":"rich_text","block_id":"` + id + `","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":`)
	b = rawjson.AppendString(b, t)
	return append(b, `}]}]}]`...)
}
