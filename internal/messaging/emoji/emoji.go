// Package emoji knows the standard emoji, their names, aliases and code points,
// and the pictures without code points that each workspace has from the start.
// It knows no custom emoji.
//
// The table is made by gen from emoji-datasource 16.0.0 (table.LICENSE). It is
// indexed at first use, which takes less than a millisecond.
package emoji

//go:generate sh -c "go run ./gen $EMOJI_JSON > table.txt"

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed table.txt
var table string

// Lookup returns the canonical name of an emoji, false for what is none.
type Lookup func(name string) (canonical string, ok bool)

// pictures are upstream's emoji without code points, with aliases.
var pictures = map[string]string{"bowtie": "bowtie", "cubimal_chick": "cubimal_chick", "dusty_stick": "dusty_stick",
	"glitch_crab": "glitch_crab", "piggy": "piggy", "pride": "pride", "rube": "rube", "shipit": "squirrel", "simple_smile": "simple_smile",
	"slack": "slack", "slack_call": "slack_call", "squirrel": "squirrel", "thumbsup_all": "thumbsup_all", "white_square": "white_square",
	"black_square": "black_square"}

type entry struct {
	name     string
	unified  string // lower-case hexadecimal code points joined by dashes
	twoTones string // the same where two skin tones need another sequence
	tones    uint8  // how many skin tones it can carry
}

type tables struct {
	entries   []entry
	names     map[string]uint16
	sequences map[string]uint16 // by code points as UTF-8, without U+FE0F
	first     map[rune]bool
}

const (
	entryCount = 1911
	nameCount  = 1972
)

var index = sync.OnceValue(build)

func build() *tables {
	t := &tables{
		entries:   make([]entry, 0, entryCount),
		names:     make(map[string]uint16, nameCount),
		sequences: make(map[string]uint16, entryCount+8),
		first:     make(map[rune]bool, entryCount),
	}
	for line := range strings.Lines(table) {
		names, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		e := entry{}
		e.unified, rest, _ = strings.Cut(rest, " ")
		if rest != "" {
			e.tones = rest[0] - '0'
			_, e.twoTones, _ = strings.Cut(rest, " ")
		}
		id := uint16(len(t.entries))
		for name := range strings.SplitSeq(names, ",") {
			if e.name == "" {
				e.name = name
			}
			t.names[name] = id
		}
		t.addSequence(e.unified, id)
		if e.twoTones != "" {
			t.addSequence(e.twoTones, id)
		}
		t.entries = append(t.entries, e)
	}
	return t
}

func (t *tables) addSequence(unified string, id uint16) {
	var buf [64]byte
	key := buf[:0]
	for point := range strings.SplitSeq(unified, "-") {
		n, _ := strconv.ParseUint(point, 16, 32)
		if r := rune(n); r != variantEmoji {
			key = utf8.AppendRune(key, r)
		}
	}
	t.sequences[string(key)] = id
	r, _ := utf8.DecodeRune(key)
	t.first[r] = true
}

// Canonical returns the name under which an emoji is stored: "+1" for "thumbsup",
// "+1::skin-tone-2" for "thumbsup::skin-tone-2". Colons around the name are
// taken off. False for a name that is none, and for a skin tone (2 to 6, two of
// them where two people are shown) on an emoji that has none.
func Canonical(name string) (string, bool) {
	name = strings.Trim(name, ":")
	e, tones, ok := lookup(name)
	if !ok {
		name, ok = pictures[name]
		return name, ok
	}
	return e.name + tones, true
}

// Unicode returns the code points of a named emoji, as lower-case hexadecimal
// numbers joined by dashes ("1f44d-1f3fb"), and the skin tone (2 to 6) if the
// name has one, else 0. Of two tones it returns the first.
func Unicode(name string) (points string, tone int, ok bool) {
	e, tones, ok := lookup(name)
	if !ok || tones == "" {
		return e.unified, 0, ok
	}
	tones = tones[len(tonePrefix):]
	tone = int(tones[0] - '0')
	points = e.unified
	if len(tones) > 1 && e.twoTones != "" {
		points = e.twoTones
	}
	head, tail, more := strings.Cut(points, "-")
	points = head + "-" + toneHex(tones[0])
	if tail = strings.TrimPrefix(tail, "fe0f-"); more && tail != "fe0f" {
		points += "-" + tail
	}
	if len(tones) > 1 {
		points += "-" + toneHex(tones[2])
	}
	return points, tone, true
}

const tonePrefix = "::skin-tone-"

func toneHex(digit byte) string { return "1f3f" + string('b'+digit-'2') }

// lookup finds a name; tones is its checked suffix, such as "::skin-tone-2".
func lookup(name string) (e entry, tones string, ok bool) {
	if i := strings.Index(name, "::"); i >= 0 {
		name, tones = name[:i], name[i:]
	}
	t := index()
	id, ok := t.names[name]
	if !ok {
		return entry{}, "", false
	}
	e = t.entries[id]
	if tones == "" {
		return e, "", true
	}
	digits, ok := strings.CutPrefix(tones, tonePrefix)
	switch {
	case !ok || e.tones == 0:
		return entry{}, "", false
	case len(digits) == 1 && isTone(digits[0]):
		return e, tones, true
	case len(digits) == 3 && e.tones == 2 && isTone(digits[0]) && digits[1] == '-' && isTone(digits[2]):
		return e, tones, true
	}
	return entry{}, "", false
}

func isTone(c byte) bool { return c >= '2' && c <= '6' }
