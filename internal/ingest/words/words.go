// Package words splits texts into words for searches. A word is a sequence of
// letters and digits in lower case, and is returned as a hash. In scripts without
// blanks each letter is a word. Texts are often JSON, also JSON within JSON, so
// escapes are decoded. Where a backslash may or may not begin an escape, the words of
// both readings are returned.
//
// The words of platform/words are texts, which the indexes of the databases contain
// and search as phrases. This package hashes words while it finds them, without a
// copy of the text, because every event that arrives is split.
package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest/jsonvalue"
)

// unspaced are the scripts without blanks between words, and Hangul, whose words
// have endings.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// The parameters of the hash FNV-1a, which needs no buffer.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// ascii contains the lower case of ASCII letters and digits. It contains 0 for
// characters that separate words and for bytes beyond ASCII.
var ascii = func() (t [256]byte) {
	for c := range t[:utf8.RuneSelf] {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			t[c] = byte(unicode.ToLower(r))
		}
	}
	return t
}()

// scanner splits a text.
type scanner struct {
	out  []uint64
	hash uint64 // of the word so far
	in   bool   // within a word
	// other is the hash of the word without its first letter, which may belong to an
	// escape. It is valid only if twofold is set.
	other   uint64
	twofold bool
	second  bool // the word has more than its first letter, so other is a word too
}

// Append appends the hashes of the words of a text, each as often as it occurs.
func Append(out []uint64, text string) []uint64 {
	s := scanner{out: out}
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\\' {
			i = s.escape(text, i)
			continue
		}
		if c < utf8.RuneSelf {
			switch l := ascii[c]; {
			case l == 0:
				s.end()
				i++
			case s.twofold:
				s.letter(l)
				i++
			default:
				i = s.letters(text, i)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		s.rune(r)
		i += n
	}
	s.end()
	return s.out
}

// letters adds the ASCII letters and digits from i on to the word, and returns the
// index of their end. text[i] must be one of them.
func (s *scanner) letters(text string, i int) int {
	h := uint64(offset)
	if s.in {
		h = s.hash
	}
	for ; i < len(text) && ascii[text[i]] != 0; i++ {
		h = (h ^ uint64(ascii[text[i]])) * prime
	}
	s.in, s.hash = true, h
	return i
}

// letter adds a byte to the word.
func (s *scanner) letter(c byte) {
	if !s.in {
		s.in, s.hash = true, offset
	}
	s.hash = (s.hash ^ uint64(c)) * prime
	if s.twofold {
		s.other, s.second = (s.other^uint64(c))*prime, true
	}
}

// end ends the word.
func (s *scanner) end() {
	if s.in {
		s.out = append(s.out, mix(s.hash))
		if s.twofold && s.second {
			s.out = append(s.out, mix(s.other))
		}
	}
	s.in, s.twofold, s.second = false, false, false
}

// mix spreads a hash over all its bits.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// rune adds a letter, number or mark to the word. A letter of the unspaced scripts is
// a word by itself. Any other character ends the word.
func (s *scanner) rune(r rune) {
	if r < utf8.RuneSelf {
		if l := ascii[r]; l != 0 {
			s.letter(l)
		} else {
			s.end()
		}
		return
	}
	if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
		s.end()
		return
	}
	alone := unicode.In(r, unspaced...)
	if alone {
		s.end()
	}
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], unicode.ToLower(r))] {
		s.letter(c)
	}
	if alone {
		s.end()
	}
}

// escape reads the backslashes from i on and the escape that they begin, if any. It
// returns the index after them.
func (s *scanner) escape(text string, i int) int {
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if r, n := codePoint(text[i:]); n > 0 {
		s.rune(r)
		return i + n
	}
	s.end()
	if i == len(text) || strings.IndexByte("bfnrt", text[i]) < 0 {
		return i
	}
	s.letter(text[i])
	s.twofold, s.other = true, offset
	return i + 1
}

// codePoint reads an escape without its backslash: u and four hexadecimal digits, or
// two such escapes that are a surrogate pair. It returns the character and the length
// in bytes, 0 for anything else.
func codePoint(text string) (r rune, n int) {
	if r = unit(text); r < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(text) > 5 {
		rest := strings.TrimLeft(text[5:], `\`)
		if low := unit(rest); low >= 0 {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, len(text) - len(rest) + 5
			}
		}
	}
	return r, 5
}

// unit reads u and four hexadecimal digits; it returns -1 for anything else.
func unit(text string) rune {
	if len(text) < 5 || text[0] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(text[1:5], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// Of returns the hashes of the words of a search, each once.
func Of(text string) (out []uint64) {
	seen := map[uint64]bool{}
	for _, h := range Append(nil, strings.ReplaceAll(text, `\`, " ")) {
		if !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

// Pair returns the hash of a name with a value. It differs from the hashes of words.
func Pair(name, value string) uint64 { return pair(add(begun, name), value) }

// apart is a byte that no UTF-8 text contains. It is hashed before a name and before a
// value.
const apart = 0xff

// begun is the hash of the byte before a name.
const begun = (offset ^ apart) * prime & (1<<64 - 1)

// add returns the hash h continued with a text.
func add[T string | []byte](h uint64, text T) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

// pair is Pair for the hash of a name, which begins with begun.
func pair[T string | []byte](name uint64, value T) uint64 { return mix(add((name^apart)*prime, value)) }

// maxDepth is the depth to which objects and arrays are read.
const maxDepth = 8

// AppendPairs appends a hash, as Pair returns it, for each name and value of a JSON
// object: texts, numbers and booleans. Each element of an array is a value of the
// array's name. The members of an object have the names name.member. Values below
// maxDepth are left out. object may be nil.
func AppendPairs(out []uint64, object *fastjson.Value) []uint64 {
	if object == nil {
		return out
	}
	return members(out, begun, object, 0)
}

// AppendMembers is AppendPairs for the members of a simple object.
func AppendMembers(out []uint64, members []jsonvalue.Member) []uint64 {
	for i := range members {
		out = append(out, pair(add(begun, members[i].Name), members[i].Value))
	}
	return out
}

// members appends the pairs of a value. name is the hash of its name, begun for no
// name.
func members(out []uint64, name uint64, v *fastjson.Value, depth int) []uint64 {
	switch v.Type() {
	case fastjson.TypeObject:
		if depth == maxDepth {
			return out
		}
		o, _ := v.Object()
		o.Visit(func(key []byte, v *fastjson.Value) {
			below := name
			if name != begun {
				below = add(below, ".")
			}
			out = members(out, add(below, key), v, depth+1)
		})
	case fastjson.TypeArray:
		if depth == maxDepth {
			return out
		}
		list, _ := v.Array()
		for _, v := range list {
			out = members(out, name, v, depth+1)
		}
	case fastjson.TypeString:
		out = append(out, pair(name, v.GetStringBytes()))
	case fastjson.TypeNull:
	default:
		var space [64]byte
		out = append(out, pair(name, v.MarshalTo(space[:0])))
	}
	return out
}
