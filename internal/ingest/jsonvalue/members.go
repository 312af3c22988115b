package jsonvalue

// Member is a member of a JSON object whose value is a text without escapes, a number,
// true or false.
type Member struct {
	Name, Value string
	Text        bool
}

// Members appends the members of an object to list, except those that are null. It reads
// only simple objects, as the metadata of most events are, without the tree of values
// that a parser builds. ok is false for any other text, also where a name or a value has
// an escape or a value has members. Names and values share memory with text.
func Members(list []Member, text string) (out []Member, ok bool) {
	s := simple{text: text}
	if !s.skip('{') {
		return list, false
	}
	if s.skip('}') {
		return list, s.ended()
	}
	for {
		name, ok := s.quoted()
		if !ok || !s.skip(':') {
			return list, false
		}
		m := Member{Name: name}
		if m.Value, m.Text = s.quoted(); !m.Text {
			if m.Value, ok = s.bare(); !ok {
				return list, false
			}
		}
		if m.Text || m.Value != "null" {
			list = append(list, m)
		}
		if s.skip('}') {
			return list, s.ended()
		}
		if !s.skip(',') {
			return list, false
		}
	}
}

// simple reads a simple object.
type simple struct {
	text string
	at   int
}

// space skips blanks.
func (s *simple) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
}

// ended reports whether nothing but blanks follows.
func (s *simple) ended() bool {
	s.space()
	return s.at == len(s.text)
}

// skip skips a character, and blanks before it. It reports whether the character follows.
func (s *simple) skip(c byte) bool {
	s.space()
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// quoted reads a text without escapes. Otherwise ok is false.
func (s *simple) quoted() (text string, ok bool) {
	if !s.skip('"') {
		return "", false
	}
	for i := s.at; i < len(s.text) && s.text[i] != '\\'; i++ {
		if s.text[i] == '"' {
			text, s.at = s.text[s.at:i], i+1
			return text, true
		}
	}
	return "", false
}

// bare reads a number, true, false or null. It checks no more of a number than its
// characters.
func (s *simple) bare() (value string, ok bool) {
	begin := s.at
	for s.at < len(s.text) && (s.text[s.at]-'0' < 10 || s.text[s.at]-'a' < 26 || s.text[s.at] == '-' || s.text[s.at] == '.' || s.text[s.at] == 'E' || s.text[s.at] == '+') {
		s.at++
	}
	switch value = s.text[begin:s.at]; {
	case value == "":
		return "", false
	case value[len(value)-1]-'0' < 10:
		for i := range len(value) {
			if c := value[i]; c-'a' < 26 && c != 'e' {
				return "", false
			}
		}
		return value, true
	}
	return value, value == "true" || value == "false" || value == "null"
}
