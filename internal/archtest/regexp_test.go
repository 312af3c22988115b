package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"regexp/syntax"
	"strconv"
	"testing"
)

// maxExpression bounds the memory that a compiled regular expression takes, in
// bytes. It stays for as long as the program runs, whether or not it is used.
const maxExpression = 96 << 10

// compiledSize returns about how many bytes an expression takes once compiled:
// its instructions, and the character ranges of each.
func compiledSize(expression string) (int, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	const instruction = 40
	size := 0
	for _, i := range prog.Inst {
		size += instruction + 4*len(i.Rune)
	}
	return size, nil
}

// expressions returns the literals that a file compiles with regexp.MustCompile.
func expressions(f goFile) (found []string) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || fun.Sel.Name != "MustCompile" {
			return true
		}
		if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

// A class of Unicode characters that is repeated up to a hundred times is
// copied a hundred times, which is megabytes.
func TestRegularExpressionsStaySmall(t *testing.T) {
	if size, err := compiledSize(`^[\p{Ll}\p{Lo}]{1,100}$`); err != nil || size <= maxExpression {
		t.Fatalf("a repeated class of letters takes %d bytes: the count is broken", size)
	}
	for _, f := range goFiles(t) {
		if !shipped(f.dir) || f.test {
			continue
		}
		for _, expression := range expressions(f) {
			if _, err := regexp.Compile(expression); err != nil {
				continue
			}
			if size, err := compiledSize(expression); err != nil || size > maxExpression {
				t.Errorf("%s: %s takes %d bytes, more than %d (%v): match without the bound and count the characters", f.path, expression, size, maxExpression, err)
			}
		}
	}
}
