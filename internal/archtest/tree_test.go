package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "understudy"

// goFile is one parsed source file. Paths are slash-separated and relative to the repository.
type goFile struct {
	path  string
	dir   string
	test  bool // a _test.go file
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

// at returns "file:line" of a node.
func (f goFile) at(n ast.Node) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(n.Pos()).Line)
}

// imports maps each imported path to the node to blame.
func (f goFile) imports() map[string]ast.Node {
	out := map[string]ast.Node{}
	for _, spec := range f.ast.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out[p] = spec
		}
	}
	return out
}

// localName is the name under which f uses the import, or "" when it does not import it.
func (f goFile) localName(importPath string) string {
	for _, spec := range f.ast.Imports {
		if spec.Path.Value != strconv.Quote(importPath) {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

var tree = sync.OnceValues(func() ([]goFile, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	var files []goFile
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(rel), string(src))
		if err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	return files, err
})

func parse(name, src string) (goFile, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	return goFile{
		path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		lines: strings.Count(src, "\n"), fset: fset, ast: tree,
	}, err
}

// goFiles returns every Go file of the repository.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("only %d Go files found: the walk is broken", len(files))
	}
	return files
}

func under(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, parent+"/")
}
