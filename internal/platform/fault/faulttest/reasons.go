// Package faulttest finds the reasons of errors in the source of packages, for
// tests that compare them with the codes of a wire package.
package faulttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Reasons returns the reasons in the packages of some folders: the second
// argument of each fault.New that is a literal, and each constant of type
// fault.Reason, except in tests. The folders are relative to that of the test.
func Reasons(t *testing.T, folders ...string) (out []string) {
	t.Helper()
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := len(out)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				for _, e := range reasonsIn(n) {
					if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						s, _ := strconv.Unquote(lit.Value)
						out = append(out, s)
					}
				}
				return true
			})
		}
		if len(out) == found {
			t.Errorf("%s names no reason: is it the right folder?", folder)
		}
	}
	return out
}

func reasonsIn(n ast.Node) []ast.Expr {
	switch x := n.(type) {
	case *ast.CallExpr:
		if s, ok := x.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "New" && len(x.Args) == 3 {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == "fault" {
				return x.Args[1:2]
			}
		}
	case *ast.ValueSpec:
		if s, ok := x.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Reason" {
			return x.Values
		}
	}
	return nil
}
