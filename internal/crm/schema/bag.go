package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/jsontext"
)

// Bag is the stored form of a record's values: a JSON object of strings, in the
// order of names, as EncodeBag writes it. It has its own parser, which is faster
// than a JSON decoder, since every read and many searches go through it.
type Bag string

// Each calls f with each name and the value in its JSON form, quotes included.
func (b Bag) Each(f func(name string, quoted string) bool) {
	s := string(b)
	i := 1
	for i < len(s) && s[i] == '"' {
		end := i + 1 + strings.IndexByte(s[i+1:], '"') // names contain no escapes
		name := s[i+1 : end]
		v := end + 2
		stop := v + 1
		for s[stop] != '"' {
			if s[stop] == '\\' {
				stop++
			}
			stop++
		}
		if !f(name, s[v:stop+1]) {
			return
		}
		i = stop + 2
	}
}

// Get returns the value of a name, or "".
func (b Bag) Get(name string) (value string) {
	b.Each(func(n, quoted string) bool {
		if n == name {
			value = Unquote(quoted)
		}
		return n < name
	})
	return value
}

// Map returns all values by name.
func (b Bag) Map() map[string]string {
	m := map[string]string{}
	b.Each(func(n, quoted string) bool {
		m[n] = Unquote(quoted)
		return true
	})
	return m
}

// Unquote returns the content of a JSON string.
func Unquote(quoted string) string {
	inner := quoted[1 : len(quoted)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var s string
	_ = json.Unmarshal([]byte(quoted), &s)
	return s
}

// EncodeBag returns the stored form of values, without empty ones.
func EncodeBag(m map[string]string) Bag {
	b := make([]byte, 0, 64*len(m)+2)
	b = append(b, '{')
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), '"', ':')
		b = jsontext.Append(b, m[name])
	}
	return Bag(append(b, '}'))
}
