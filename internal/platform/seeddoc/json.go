package seeddoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// ParseJSON parses a JSON text. It returns Malformed with the line, or TooLarge.
func ParseJSON(text []byte) (*Node, error) {
	p := &jsonParser{text: text, d: json.NewDecoder(bytes.NewReader(text)), line: 1}
	p.d.UseNumber()
	n, err := p.value(0)
	if err == nil {
		if _, end := p.d.Token(); !errors.Is(end, io.EOF) {
			err = MalformedAt(p.at(p.d.InputOffset()), "something follows the end of the document")
		}
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

const nulMessage = "text must not hold the NUL character"

type jsonParser struct {
	text   []byte
	d      *json.Decoder
	line   int
	from   int64 // offset at which line was counted
	column int   // characters before offset from in its line
	nodes  int
}

// at returns the line of an offset; calls must have increasing offsets.
func (p *jsonParser) at(offset int64) int {
	offset = min(max(offset, p.from), int64(len(p.text)))
	passed := p.text[p.from:offset]
	if end := bytes.LastIndexByte(passed, '\n'); end >= 0 {
		p.line += bytes.Count(passed, []byte("\n"))
		p.column, passed = 0, passed[end+1:]
	}
	p.column += utf8.RuneCount(passed)
	p.from = offset
	return p.line
}

// next returns the place of the next token.
func (p *jsonParser) next() Place {
	offset := p.d.InputOffset()
	for offset < int64(len(p.text)) && strings.IndexByte(" \t\r\n,:", p.text[offset]) >= 0 {
		offset++
	}
	line := p.at(offset)
	return Place{line, 1 + p.column}
}

func (p *jsonParser) token() (json.Token, Place, error) {
	at := p.next()
	t, err := p.d.Token()
	if err == nil {
		return t, at, nil
	}
	offset := p.d.InputOffset()
	var syntax *json.SyntaxError
	message := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.As(err, &syntax):
		offset = max(offset, min(syntax.Offset, int64(len(p.text))))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		offset, message = int64(len(p.text)), "the document ends too early"
	}
	return nil, at, MalformedAt(p.at(offset), "%s", message)
}

func (p *jsonParser) value(depth int) (*Node, error) {
	t, at, err := p.token()
	if err != nil {
		return nil, err
	}
	if p.nodes++; p.nodes > MaxNodes {
		return nil, TooLarge
	}
	if depth > MaxDepth {
		return nil, MalformedAt(at.Line, "the document is nested too deep")
	}
	switch t := t.(type) {
	case string:
		if strings.IndexByte(t, 0) >= 0 {
			return nil, MalformedAt(at.Line, nulMessage)
		}
		return &Node{Kind: String, Place: at, Scalar: t}, nil
	case json.Number:
		return &Node{Kind: Number, Place: at, Scalar: t.String()}, nil
	case bool:
		n := &Node{Kind: Bool, Place: at, Scalar: "false"}
		if t {
			n.Scalar = "true"
		}
		return n, nil
	case json.Delim:
		if t == '[' {
			return p.list(at, depth)
		}
		return p.mapping(at, depth)
	}
	return &Node{Place: at}, nil
}

func (p *jsonParser) list(at Place, depth int) (*Node, error) {
	n := &Node{Kind: List, Place: at}
	for p.d.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	_, _, err := p.token()
	return n, err
}

func (p *jsonParser) mapping(at Place, depth int) (*Node, error) {
	n := &Node{Kind: Map, Place: at}
	for p.d.More() {
		t, at, err := p.token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if strings.IndexByte(name, 0) >= 0 {
			return nil, MalformedAt(at.Line, nulMessage)
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, Member{at, name, value})
	}
	_, _, err := p.token()
	return n, err
}
