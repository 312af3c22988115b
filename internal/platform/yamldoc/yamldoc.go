// Package yamldoc parses seed documents in YAML.
package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"understudy/internal/platform/seeddoc"
)

// Parse parses a YAML text with one document. It returns seeddoc.Malformed with
// the line, or seeddoc.TooLarge, also for aliases that expand too much.
func Parse(text []byte) (*seeddoc.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var root yaml.Node
	if err := d.Decode(&root); errors.Is(err, io.EOF) {
		return &seeddoc.Node{Place: seeddoc.Place{Line: 1}}, nil // only blanks and comments
	} else if err != nil {
		return nil, malformed(text, err)
	}
	var more yaml.Node
	if err := d.Decode(&more); err == nil {
		return nil, seeddoc.MalformedAt(more.Line, "a second document follows")
	} else if !errors.Is(err, io.EOF) {
		return nil, malformed(text, err)
	}
	c := converter{}
	return c.node(&root, 0)
}

var digits = regexp.MustCompile(`^[+-]?[0-9]+$`)

var lineOf = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// fromZero matches the errors whose lines the library counts from 0.
var fromZero = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key$|',' or)|^found (undefined tag handle|duplicate %|incompatible YAML)`)

var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

func malformed(text []byte, err error) error {
	message := lineOf.ReplaceAllString(err.Error(), "")
	line := unreadable(text)
	if m := unknownAnchor.FindStringSubmatch(message); m != nil {
		before, _, _ := bytes.Cut(text, []byte("*"+m[1]))
		line = 1 + bytes.Count(before, []byte("\n"))
	}
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		if line, _ = strconv.Atoi(m[1]); fromZero.MatchString(message) {
			line++
		}
	}
	return seeddoc.MalformedAt(line, "%s", message)
}

// unreadable returns the line of the first character that is invalid in YAML, or
// 1: the library does not report it.
func unreadable(text []byte) int {
	line := 1
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == '\n':
			line++
		case c == utf8.RuneError && size == 1, unicode.IsControl(c) && c != '\t' && c != '\r' && c != '\u0085':
			return line
		}
		text = text[size:]
	}
	return 1
}

type converter struct{ nodes int }

func (c *converter) node(y *yaml.Node, depth int) (*seeddoc.Node, error) {
	switch y.Kind {
	case yaml.DocumentNode:
		return c.node(y.Content[0], depth)
	case yaml.AliasNode:
		return c.node(y.Alias, depth+1)
	}
	if c.nodes++; c.nodes > seeddoc.MaxNodes {
		return nil, seeddoc.TooLarge
	}
	if depth > seeddoc.MaxDepth {
		return nil, seeddoc.MalformedAt(y.Line, "the document is nested too deep")
	}
	n := &seeddoc.Node{Place: seeddoc.Place{Line: y.Line, Column: y.Column}}
	switch y.Kind {
	case yaml.SequenceNode:
		n.Kind = seeddoc.List
		for _, item := range y.Content {
			one, err := c.node(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, one)
		}
		return n, nil
	case yaml.MappingNode:
		n.Kind = seeddoc.Map
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if key.Kind != yaml.ScalarNode || strings.IndexByte(key.Value, 0) >= 0 {
				return nil, seeddoc.MalformedAt(key.Line, "a name must be a text")
			}
			if key.ShortTag() == "!!merge" {
				return nil, seeddoc.MalformedAt(key.Line, "a mapping cannot take in another by <<: its members must be written out")
			}
			one, err := c.node(y.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			n.Members = append(n.Members, seeddoc.Member{Place: seeddoc.Place{Line: key.Line, Column: key.Column}, Name: key.Value, Value: one})
		}
		return n, nil
	}
	if strings.IndexByte(y.Value, 0) >= 0 {
		return nil, seeddoc.MalformedAt(y.Line, "text must not hold the NUL character")
	}
	if n.Kind, n.Scalar = scalar(y); n.Kind == seeddoc.Number && n.Scalar != y.Value && digits.MatchString(y.Value) {
		n.Digits = y.Value
	}
	return n, nil
}

// scalar returns the kind of a scalar and its text in JSON form.
func scalar(y *yaml.Node) (seeddoc.Kind, string) {
	switch y.ShortTag() {
	case "!!null":
		return seeddoc.Null, ""
	case "!!bool":
		var b bool
		if y.Decode(&b) == nil {
			return seeddoc.Bool, strconv.FormatBool(b)
		}
	case "!!int", "!!float":
		if json.Valid([]byte(y.Value)) {
			return seeddoc.Number, y.Value
		}
		var i int64
		if y.ShortTag() == "!!int" && y.Decode(&i) == nil {
			return seeddoc.Number, strconv.FormatInt(i, 10)
		}
		var f float64
		if y.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return seeddoc.Number, strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return seeddoc.String, y.Value
}
