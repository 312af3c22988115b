package seeddoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// ParseJSON reads a JSON text. It returns Malformed with the line, or TooLarge.
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
	text  []byte
	d     *json.Decoder
	line  int
	from  int64 // where line was counted
	nodes int
}

// at returns the line of an offset; offsets only grow.
func (p *jsonParser) at(offset int64) int {
	offset = min(max(offset, p.from), int64(len(p.text)))
	p.line += bytes.Count(p.text[p.from:offset], []byte("\n"))
	p.from = offset
	return p.line
}

func (p *jsonParser) token() (json.Token, int, error) {
	t, err := p.d.Token()
	if err == nil {
		return t, p.at(p.d.InputOffset()), nil
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
	return nil, 0, MalformedAt(p.at(offset), "%s", message)
}

func (p *jsonParser) value(depth int) (*Node, error) {
	t, line, err := p.token()
	if err != nil {
		return nil, err
	}
	if p.nodes++; p.nodes > MaxNodes {
		return nil, TooLarge
	}
	if depth > MaxDepth {
		return nil, MalformedAt(line, "the document is nested too deep")
	}
	switch t := t.(type) {
	case string:
		if strings.IndexByte(t, 0) >= 0 {
			return nil, MalformedAt(line, nulMessage)
		}
		return &Node{Kind: String, Line: line, Scalar: t}, nil
	case json.Number:
		return &Node{Kind: Number, Line: line, Scalar: t.String()}, nil
	case bool:
		n := &Node{Kind: Bool, Line: line, Scalar: "false"}
		if t {
			n.Scalar = "true"
		}
		return n, nil
	case json.Delim:
		if t == '[' {
			return p.list(line, depth)
		}
		return p.mapping(line, depth)
	}
	return &Node{Line: line}, nil
}

func (p *jsonParser) list(line, depth int) (*Node, error) {
	n := &Node{Kind: List, Line: line}
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

func (p *jsonParser) mapping(line, depth int) (*Node, error) {
	n := &Node{Kind: Map, Line: line}
	for p.d.More() {
		t, line, err := p.token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if strings.IndexByte(name, 0) >= 0 {
			return nil, MalformedAt(line, nulMessage)
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, Member{name, line, value})
	}
	_, _, err := p.token()
	return n, err
}
