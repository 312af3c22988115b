package searchquery

import (
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/messaging/emoji"
)

// Query is a parsed search.
type Query struct {
	All     []Term   // each must match
	None    []Term   // none may match
	In      []string // any of: "#name", "name", "@user", "<#C…>" or an id
	NotIn   []string
	From    []string // any of: "@name", "name", "<@U…>", "me" or an id
	NotFrom []string
	Want    Traits
	Not     Traits // a message with any of these is excluded
	Oldest  int64  // microseconds, inclusive; 0 is open
	Latest  int64  // microseconds, exclusive; 0 is open
	NotAt   []Span
}

// Traits are the values of the modifiers to:, with:, has: and is:. A message must
// have one value of each modifier.
type Traits struct {
	To       []string // recipients of a direct message
	With     []string // participants of a thread or direct message
	Has      []string // link, reaction, pin, file, star
	HasEmoji []string // names without colons
	HasMine  []string // hasmy:
	Is       []string // thread, dm, saved
}

// Span is an excluded time range, in microseconds: from Oldest until before
// Latest.
type Span struct{ Oldest, Latest int64 }

func (t *Traits) empty() bool {
	return len(t.To)+len(t.With)+len(t.Has)+len(t.HasEmoji)+len(t.HasMine)+len(t.Is) == 0
}

// Term is a word, a prefix or a phrase, in the form of Words.
type Term struct {
	Words  []string
	Prefix bool
}

// Count returns how often a term occurs in the words of a text.
func (t Term) Count(words []string) (n int) {
	for i := range words {
		if i+len(t.Words) > len(words) {
			break
		}
		whole := true
		for j := range t.Words {
			whole = whole && t.is(j, words[i+j])
		}
		if whole {
			n++
		}
	}
	return n
}

// Empty reports whether a query has no conditions.
func (q *Query) Empty() bool {
	return len(q.All)+len(q.None)+len(q.In)+len(q.NotIn)+len(q.From)+len(q.NotFrom)+len(q.NotAt) == 0 &&
		q.Want.empty() && q.Not.empty() && q.Oldest == 0 && q.Latest == 0
}

// minPrefix is the fewest letters of a prefix before its star.
const minPrefix = 3

// maxParts bounds the parts of a query that are parsed.
const maxParts = 64

// Parse parses a query. now, in the workspace's time zone, defines what today
// means. Every text is a valid query: an unknown modifier is a word.
func Parse(text string, now time.Time) Query {
	var q Query
	for i := 0; i < maxParts; i++ {
		var p part
		if p, text = next(text); p.text == "" && !p.quoted {
			break
		}
		if p.quoted || !q.modifier(p, now) {
			q.term(p)
		}
	}
	return q
}

// part is a piece of a query, separated by blanks or quotation marks.
type part struct {
	text   string
	quoted bool
	minus  bool
}

func next(s string) (p part, rest string) {
	s = strings.TrimLeft(s, " \t\r\n\u00a0\u3000")
	if strings.HasPrefix(s, "-") && len(s) > 1 && s[1] != ' ' {
		p.minus, s = true, s[1:]
	}
	if opening, mark := quotation(s); opening > 0 {
		s = s[opening:]
		if end := strings.Index(s, mark); end >= 0 {
			p.text, p.quoted = s[:end], true
			return p, s[end+len(mark):]
		}
	}
	end := strings.IndexAny(s, " \t\r\n\u00a0\u3000")
	if end < 0 {
		end = len(s)
	}
	if key, value, ok := strings.Cut(s, ":"); ok && len(key) < end && key != "" { // from:"Ada Byron"
		if opening, mark := quotation(value); opening > 0 {
			value = value[opening:]
			if close := strings.Index(value, mark); close > 0 {
				p.text = key + ":" + value[:close]
				return p, value[close+len(mark):]
			}
		}
	}
	p.text = s[:end]
	return p, s[end:]
}

// quotation returns the length of an opening quotation mark at the start of s,
// and the mark that closes it.
func quotation(s string) (int, string) {
	switch {
	case strings.HasPrefix(s, `"`):
		return 1, `"`
	case strings.HasPrefix(s, "“"):
		return len("“"), "”"
	}
	return 0, ""
}

func (q *Query) term(p part) {
	t := Term{Words: strings.Fields(Words(p.text))}
	if name := emojiValue(p.text); name != "" && !p.quoted {
		if canonical, ok := emoji.Canonical(name); ok {
			base, _, _ := strings.Cut(canonical, "::")
			t.Words = []string{EmojiWord(base)}
		}
	}
	if len(t.Words) == 0 {
		return
	}
	last := t.Words[len(t.Words)-1]
	t.Prefix = !p.quoted && strings.HasSuffix(p.text, "*") && utf8.RuneCountInString(last) >= minPrefix
	if p.minus {
		q.None = append(q.None, t)
	} else {
		q.All = append(q.All, t)
	}
}

// modifier parses key:value and reports whether it is a modifier.
func (q *Query) modifier(p part, now time.Time) bool {
	key, value, ok := strings.Cut(p.text, ":")
	if !ok || value == "" {
		return false
	}
	traits, in, from := &q.Want, &q.In, &q.From
	if p.minus {
		traits, in, from = &q.Not, &q.NotIn, &q.NotFrom
	}
	key = strings.ToLower(key)
	switch {
	case key == "in":
		*in = append(*in, value)
	case key == "from":
		*from = append(*from, value)
	case key == "to":
		traits.To = append(traits.To, value)
	case key == "with":
		traits.With = append(traits.With, value)
	case key == "has" && emojiValue(value) != "":
		traits.HasEmoji = append(traits.HasEmoji, emojiValue(value))
	case key == "hasmy" && emojiValue(value) != "":
		traits.HasMine = append(traits.HasMine, emojiValue(value))
	case key == "has" && known(value, "link", "reaction", "pin", "file", "star"):
		traits.Has = append(traits.Has, strings.ToLower(value))
	case key == "is" && known(value, "thread", "dm", "saved"):
		traits.Is = append(traits.Is, strings.ToLower(value))
	default:
		return q.date(key, strings.ToLower(value), p.minus, now)
	}
	return true
}

func known(value string, list ...string) bool {
	for _, x := range list {
		if strings.EqualFold(value, x) {
			return true
		}
	}
	return false
}

// emojiValue returns the name in ":name:", or "".
func emojiValue(value string) string {
	if len(value) > 2 && value[0] == ':' && value[len(value)-1] == ':' {
		return value[1 : len(value)-1]
	}
	return ""
}

// date narrows the range by before:, after:, on: and during:. before: and after:
// exclude the day that they name. With minus the named range is excluded.
func (q *Query) date(key, value string, minus bool, now time.Time) bool {
	from, to, ok := period(value, now)
	if !ok {
		return false
	}
	switch {
	case key == "before" && minus:
		q.narrow(from, time.Time{})
	case key == "before":
		q.narrow(time.Time{}, from)
	case key == "after" && minus:
		q.narrow(time.Time{}, to)
	case key == "after":
		q.narrow(to, time.Time{})
	case (key == "on" || key == "during") && minus:
		q.NotAt = append(q.NotAt, Span{from.UnixMicro(), to.UnixMicro()})
	case key == "on" || key == "during":
		q.narrow(from, to)
	default:
		return false
	}
	return true
}

func (q *Query) narrow(from, to time.Time) {
	if !from.IsZero() {
		q.Oldest = max(q.Oldest, from.UnixMicro(), 1)
	}
	if !to.IsZero() {
		latest := max(to.UnixMicro(), 1)
		if q.Latest == 0 || latest < q.Latest {
			q.Latest = latest
		}
	}
}

// period returns the range of a date, a month, a year, or a word such as "today".
func period(value string, now time.Time) (from, to time.Time, ok bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	switch value {
	case "today":
		return day, day.AddDate(0, 0, 1), true
	case "yesterday":
		return day.AddDate(0, 0, -1), day, true
	case "week":
		return monday, monday.AddDate(0, 0, 7), true
	case "month":
		return month, month.AddDate(0, 1, 0), true
	case "year":
		from = time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())
		return from, from.AddDate(1, 0, 0), true
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), value) {
			from = day.AddDate(0, 0, -(int(day.Weekday())-int(d)+7)%7)
			return from, from.AddDate(0, 0, 1), true
		}
	}
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), value) {
			from = time.Date(now.Year(), m, 1, 0, 0, 0, 0, now.Location())
			if from.After(now) {
				from = from.AddDate(-1, 0, 0)
			}
			return from, from.AddDate(0, 1, 0), true
		}
	}
	for _, f := range []struct {
		layout              string
		years, months, days int
	}{{"2006-1-2", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"1/2/2006", 0, 0, 1}, {"2006-1", 0, 1, 0},
		{"January-2006", 0, 1, 0}, {"Jan-2006", 0, 1, 0}, {"1-2006", 0, 1, 0}, {"1/2006", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.ParseInLocation(f.layout, value, now.Location()); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			return t, t.AddDate(f.years, f.months, f.days), true
		}
	}
	return from, to, false
}
