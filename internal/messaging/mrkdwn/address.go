package mrkdwn

import "strings"

// address wraps the web address whose scheme ends at the colon at n.i.
func (n *normalizer) address() {
	colon := n.i
	n.i++
	if n.opts.Parse == ParseNone || !strings.HasPrefix(n.s[colon:], "://") {
		return
	}
	start := colon
	for start > n.from && colon-start < 6 && isLetter(n.s[start-1]) {
		start--
	}
	if scheme := n.s[start:colon]; !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") ||
		start > 0 && inWord(n.s[start-1]) {
		return
	}
	end := addressEnd(n.s, colon+3)
	if end == colon+3 {
		return
	}
	n.put(start, end, "<", escapeAmpersands(n.s[start:end]), ">")
}

// addressEnd returns the end of a web address whose host begins at start. It
// excludes trailing punctuation, and a closing bracket without its opening one.
func addressEnd(s string, start int) int {
	end := start
	for end < len(s) {
		c := s[end]
		if c <= ' ' || c == 0x7F || c == '<' || c == '>' || c == '|' || c == '"' || c == '`' {
			break
		}
		if decoded, _ := entity(s, end); c == '&' && (decoded == '<' || decoded == '>') {
			break
		}
		end++
	}
	open := strings.Count(s[start:end], "(") - strings.Count(s[start:end], ")")
	for end > start && !strings.HasSuffix(s[start:end], "&amp;") {
		switch c := s[end-1]; {
		case strings.IndexByte(".,;:!?'*_~]}", c) >= 0:
		case c == ')' && open < 0:
			open++
		default:
			return end
		}
		end--
	}
	return end
}

// name links the e-mail address, person or channel around the sign at n.i.
func (n *normalizer) name(sign byte) {
	at := n.i
	n.i++
	if sign == '@' && n.opts.Parse != ParseNone && at > n.from {
		start := at
		for start > n.from && at-start < 64 && isLocal(n.s[start-1]) {
			start--
		}
		end := domainEnd(n.s, at+1)
		if start < at && end > 0 && isAlnum(n.s[start]) && (start == 0 || !inWord(n.s[start-1])) {
			address := n.s[start:end]
			n.put(start, end, "<mailto:", address, "|", address, ">")
			return
		}
	}
	if !n.names || at > 0 && inWord(n.s[at-1]) {
		return
	}
	end := at + 1
	for end < len(n.s) && end-at <= 80 && isName(n.s[end]) {
		end++
	}
	for end > at+1 {
		if link := n.link(sign, n.s[at+1:end]); link != "" {
			n.put(at, end, link)
			return
		}
		if c := n.s[end-1]; c != '.' && c != '-' && c != '_' {
			return
		}
		end-- // "@bob." at the end of a sentence
	}
}

func (n *normalizer) link(sign byte, name string) string {
	name = strings.ToLower(name)
	if sign == '#' {
		if id, ok := n.opts.Resolver.ChannelID(name); ok {
			return "<#" + id + "|" + name + ">"
		}
		return ""
	}
	switch name {
	case "here", "channel", "everyone":
		return "<!" + name + ">"
	}
	if id, ok := n.opts.Resolver.UserID(name); ok {
		return "<@" + id + ">"
	}
	return ""
}

func isLocal(c byte) bool { return isAlnum(c) || strings.IndexByte("._%+-", c) >= 0 }

func isName(c byte) bool { return inWord(c) || c == '.' || c == '-' || c == '_' }

// domainEnd returns the end of the domain of an e-mail address; 0 when none is
// there.
func domainEnd(s string, start int) int {
	end, label, dots := start, start, 0
	for end < len(s) && end-start < 255 {
		c := s[end]
		if c == '.' && end > label && end+1 < len(s) && isAlnum(s[end+1]) {
			dots++
			label = end + 1
		} else if !isAlnum(c) && c != '-' {
			break
		}
		end++
	}
	if dots == 0 || end-label < 2 || !isLetter(s[label]) || end < len(s) && s[end] >= 0x80 {
		return 0
	}
	for s[end-1] == '-' {
		end--
	}
	if end-label < 2 {
		return 0
	}
	return end
}
