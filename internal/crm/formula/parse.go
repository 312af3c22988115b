package formula

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type parser struct {
	words []word
	depth int
	reads []Read
}

func (p *parser) peek() word { return p.words[0] }

func (p *parser) next() word {
	w := p.words[0]
	if w.kind != end {
		p.words = p.words[1:]
	}
	return w
}

func (p *parser) fail(format string, args ...any) error {
	return &Error{p.peek().at, fmt.Sprintf(format, args...)}
}

// is reports whether the next word is one of the symbols or keywords.
func (p *parser) is(any ...string) bool {
	w := p.peek()
	return (w.kind == symbol || w.kind == name) && slices.Contains(any, strings.ToLower(w.text))
}

// accept consumes the next word if it is one of the symbols or keywords.
func (p *parser) accept(any ...string) (string, bool) {
	if !p.is(any...) {
		return "", false
	}
	return strings.ToLower(p.next().text), true
}

func (p *parser) expect(text string) error {
	if _, ok := p.accept(text); !ok {
		return p.fail("%q is missing before %q", text, p.peek().text)
	}
	return nil
}

// deeper counts the nesting of expressions.
func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail("the formula is nested too deeply")
	}
	return nil
}

func (p *parser) expression() (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if _, ok := p.accept("if"); ok {
		return p.condition()
	}
	return p.chain(0)
}

// condition parses what follows an "if".
func (p *parser) condition() (node, error) {
	c := &condition{}
	for {
		when, err := p.chain(0)
		if err != nil {
			return nil, err
		}
		if when.kind() != Bool {
			return nil, p.fail("a condition must be true or false, not a %s", when.kind())
		}
		if err := p.expect("then"); err != nil {
			return nil, err
		}
		then, err := p.expression()
		if err != nil {
			return nil, err
		}
		c.when, c.then = append(c.when, when), append(c.then, then)
		if _, ok := p.accept("elseif"); ok {
			continue
		}
		if _, ok := p.accept("else"); ok {
			if c.otherwise, err = p.expression(); err != nil {
				return nil, err
			}
			c.then = append(c.then, c.otherwise)
		}
		break
	}
	for _, n := range c.then {
		if n.kind() != c.then[0].kind() {
			return nil, p.fail("the branches of a condition must have one type, not %s and %s", c.then[0].kind(), n.kind())
		}
	}
	return c, nil
}

// levels are the operators by precedence, the lowest first.
var levels = [][]string{{"or", "||"}, {"and", "&&"}, {"=", "==", "equals", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/"}}

// chain parses operands separated by operators of a level, from left to right.
func (p *parser) chain(level int) (node, error) {
	if level == len(levels) {
		return p.unary()
	}
	if level == 2 { // not binds tighter than and, and looser than a comparison
		if _, ok := p.accept("not", "!"); ok {
			if err := p.deeper(); err != nil {
				return nil, err
			}
			defer func() { p.depth-- }()
			of, err := p.chain(level)
			if err != nil {
				return nil, err
			}
			return p.operation("not", of)
		}
	}
	left, err := p.chain(level + 1)
	for err == nil {
		op, ok := p.accept(levels[level]...)
		if !ok {
			return left, nil
		}
		var right node
		if right, err = p.chain(level + 1); err == nil {
			left, err = p.operation(op, left, right)
		}
	}
	return nil, err
}

func (p *parser) unary() (node, error) {
	if _, ok := p.accept("-"); ok {
		if err := p.deeper(); err != nil {
			return nil, err
		}
		defer func() { p.depth-- }()
		of, err := p.unary()
		if err != nil {
			return nil, err
		}
		return p.operation("negative", of)
	}
	return p.primary()
}

func (p *parser) primary() (node, error) {
	w := p.peek()
	switch {
	case w.kind == number:
		f, err := strconv.ParseFloat(w.text, 64)
		if err != nil {
			return nil, p.fail("%q is not a number", w.text)
		}
		p.next()
		return literal{value{number: f}, Number}, nil
	case w.kind == quoted:
		p.next()
		return literal{value{string: w.text}, Text}, nil
	case w.text == "(" && w.kind == symbol:
		p.next()
		inner, err := p.expression()
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")")
	case w.kind != name || slices.Contains(keywords, strings.ToLower(w.text)):
		return nil, p.fail("a value is missing before %q", w.text)
	}
	p.next()
	switch text := strings.ToLower(w.text); {
	case p.is("("):
		return p.call(text)
	case text == "true" || text == "false":
		return literal{value{bool: text == "true"}, Bool}, nil
	}
	p.reads = append(p.reads, Read{w.text, Number})
	return property{w.text, Number}, nil
}

var keywords = []string{"if", "then", "elseif", "else", "and", "or", "not", "equals"}

// call parses the arguments of a function.
func (p *parser) call(function string) (node, error) {
	p.next()
	if kind := (map[string]Kind{"string": Text, "bool": Bool, "year": Number, "month": Number})[function]; kind != "" {
		w := p.peek()
		if w.kind != name {
			return nil, p.fail("%s needs the name of a property", function)
		}
		p.next()
		p.reads = append(p.reads, Read{w.text, kind})
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		if function == "year" || function == "month" {
			return datePart{w.text, function == "year"}, nil
		}
		return property{w.text, kind}, nil
	}
	var args []node
	for !p.is(")") {
		if len(args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		if len(args) == maxArguments {
			return nil, p.fail("%s can have at most %d arguments", function, maxArguments)
		}
		a, err := p.expression()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	p.next()
	return p.operation(function, args...)
}

// maxArguments is the most arguments of a function.
const maxArguments = 100
