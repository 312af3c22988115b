package match

import (
	"html"
	"regexp"
	"strings"
)

// ignore is a set of differences between texts that are ignored.
type ignore uint8

const (
	ignoreCase ignore = 1 << iota
	ignoreSpace
	ignoreMarkup
)

// Ignorable lists what a matcher may ignore.
var Ignorable = []string{"case", "space", "markup"}

var ignorable = map[string]ignore{"case": ignoreCase, "space": ignoreSpace, "markup": ignoreMarkup}

var textTests = map[string]func(text, part string) bool{"contains": strings.Contains, "not_contains": strings.Contains,
	"starts_with": strings.HasPrefix, "ends_with": strings.HasSuffix}

// The markup of messages, Markdown and HTML; the text between is kept.
var (
	labelledLink = regexp.MustCompile(`<[^<>|\s]*\|([^<>]*)>`)
	bareLink     = regexp.MustCompile(`<((?:https?|mailto):[^<>|\s]*)>`)
	markdownLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^()\s]*\)`)
	tag          = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	lineMarks    = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+`)
	emphasis     = strings.NewReplacer("*", "", "_", "", "~", "", "`", "")
)

// apply returns a text without what does not count.
func (ig ignore) apply(s string) string {
	if ig&ignoreMarkup != 0 {
		s = labelledLink.ReplaceAllString(s, "$1")
		s = bareLink.ReplaceAllString(s, "$1")
		s = markdownLink.ReplaceAllString(s, "$1")
		s = tag.ReplaceAllString(s, "")
		s = lineMarks.ReplaceAllString(s, "")
		s = html.UnescapeString(emphasis.Replace(s))
	}
	if ig&ignoreSpace != 0 {
		s = strings.Join(strings.Fields(s), " ")
	}
	if ig&ignoreCase != 0 {
		s = strings.ToLower(s)
	}
	return s
}
