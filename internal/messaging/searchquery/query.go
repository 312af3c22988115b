package searchquery

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Query is a search as it was written.
type Query struct {
	All      []Term   // each must match
	None     []Term   // none may match
	In       []string // any of: "#name", "name", "@user", "<#C…>" or an id
	NotIn    []string
	From     []string // any of: "@name", "name", "<@U…>", "me" or an id
	NotFrom  []string
	With     []string // to: and with:
	Has      []string // link, reaction, pin, file, star
	HasEmoji []string // names without colons
	HasMine  []string // hasmy:
	Is       []string // thread, dm, saved
	Oldest   int64    // microseconds, inclusive; 0 is open
	Latest   int64    // microseconds, exclusive; 0 is open
}

// Term is a word, the beginning of one, or a phrase, in the form of Words.
type Term struct {
	Words  []string
	Prefix bool
}

// Empty tells whether nothing was asked for.
func (q *Query) Empty() bool {
	return len(q.All)+len(q.None)+len(q.In)+len(q.NotIn)+len(q.From)+len(q.NotFrom)+len(q.With)+
		len(q.Has)+len(q.HasEmoji)+len(q.HasMine)+len(q.Is) == 0 && q.Oldest == 0 && q.Latest == 0
}

// minPrefix is how many letters stand before the star of a prefix.
const minPrefix = 3

// maxParts bounds the parts of a query that are read.
const maxParts = 64

// Parse reads a query. now, in the workspace's time zone, says what today is.
// Every text is a query: what is no modifier is searched for.
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

// part is a piece of a query between blanks, or between quotation marks.
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
	p.text = s[:end]
	return p, s[end:]
}

// quotation gives the length of an opening quotation mark and the mark that closes it.
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

// modifier reads key:value and tells whether it was one.
func (q *Query) modifier(p part, now time.Time) bool {
	key, value, ok := strings.Cut(p.text, ":")
	if !ok || value == "" {
		return false
	}
	key = strings.ToLower(key)
	switch {
	case p.minus && key == "in":
		q.NotIn = append(q.NotIn, value)
	case p.minus && key == "from":
		q.NotFrom = append(q.NotFrom, value)
	case p.minus:
		return false
	case key == "in":
		q.In = append(q.In, value)
	case key == "from":
		q.From = append(q.From, value)
	case key == "to", key == "with":
		q.With = append(q.With, value)
	case key == "has" && emojiValue(value) != "":
		q.HasEmoji = append(q.HasEmoji, emojiValue(value))
	case key == "hasmy" && emojiValue(value) != "":
		q.HasMine = append(q.HasMine, emojiValue(value))
	case key == "has" && known(value, "link", "reaction", "pin", "file", "star"):
		q.Has = append(q.Has, strings.ToLower(value))
	case key == "is" && known(value, "thread", "dm", "saved"):
		q.Is = append(q.Is, strings.ToLower(value))
	default:
		return q.date(key, strings.ToLower(value), now)
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

// emojiValue gives the name in ":name:", or "".
func emojiValue(value string) string {
	if len(value) > 2 && value[0] == ':' && value[len(value)-1] == ':' {
		return value[1 : len(value)-1]
	}
	return ""
}

// date narrows the range by before:, after:, on: and during:. Before and after
// leave out the day that they name.
func (q *Query) date(key, value string, now time.Time) bool {
	from, to, ok := period(value, now)
	if !ok {
		return false
	}
	switch key {
	case "before":
		q.narrow(time.Time{}, from)
	case "after":
		q.narrow(to, time.Time{})
	case "on", "during":
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

// period gives the days that a value names: a date, a month, a year, or a word.
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
	}{{"2006-1-2", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"1/2/2006", 0, 0, 1}, {"2006-1", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.ParseInLocation(f.layout, value, now.Location()); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			return t, t.AddDate(f.years, f.months, f.days), true
		}
	}
	return from, to, false
}
