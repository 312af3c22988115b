package cause

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/platform/store"
)

var writing = regexp.MustCompile(`^\s*(INSERT (OR \w+ )?INTO|REPLACE INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE|WITH)\s`)

// On PostgreSQL the text of a statement says which rows it may have written. Each
// statement of the program that writes is understood at least as far as its table
// is known: otherwise a cause would be called exact that lacks its writes.
func TestEveryStatementThatWritesIsUnderstood(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		// Engines make and copy whole worlds, which are no writes of a request.
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "platform/store/") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := textOf(e)
			if !ok || !writing.MatchString(text) {
				return true
			}
			p := parse(text)
			if strings.EqualFold(strings.Fields(text)[0], "WITH") && p.op == 0 {
				return false // it reads
			}
			if found++; p.op == 0 || p.table == "" || strings.ContainsAny(p.table, "(?,") {
				t.Errorf("%s: the journal does not know what this writes: %s", set.Position(e.Pos()), text)
			}
			if upper := strings.ToUpper(text); p.op == store.Updated && !strings.Contains(upper, "SET") && !strings.HasSuffix(strings.TrimSpace(upper), " X") {
				t.Errorf("%s: an update without SET: %s", set.Position(e.Pos()), text)
			}
			return false
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 200 {
		t.Errorf("only %d statements were found", found)
	}
}

// textOf returns a text that is written in a source, its parts that are not
// literals as X.
func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, ok := textOf(e.X)
		if !ok {
			return "", false
		}
		right, ok := textOf(e.Y)
		if !ok {
			right = " X "
		}
		return left + right, true
	}
	return "", false
}
