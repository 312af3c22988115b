package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// privateSentence matches the verbs of privateVerb in sentences about something:
// "give a name" is how a text asks for one.
var privateSentence = regexp.MustCompile(`\b(gives|tells|lets)\b`)

// privateTexts returns a complaint for each text of a Go file, such as a help text,
// a refusal or what a failed test says, that uses a verb of the private vocabulary.
func privateTexts(f goFile) (found []string) {
	if ast.IsGenerated(f.ast) {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if word := privateSentence.FindString(l.Value); word != "" {
				found = append(found, fmt.Sprintf("%s: a text says %q: say returns, reports, is or allows", f.at(l), word))
			}
		}
		return true
	})
	return found
}

// logLabels are the messages of lines that are no sentences, each with its reason.
var logLabels = map[string]string{
	"audit": "the name of a kind of line, which docs/runbook.md documents for programs that read logs",
}

var logCalls = []string{"Debug", "Info", "Warn", "Error", "DebugContext", "InfoContext", "WarnContext", "ErrorContext"}

// logRiddles returns a complaint for each log line whose message is no sentence: a
// single word, or one that begins like a title or ends with a period.
func logRiddles(f goFile) (found []string) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains(logCalls, method.Sel.Name) || !isLog(method.X) {
			return true
		}
		place := 0
		if strings.HasSuffix(method.Sel.Name, "Context") {
			place = 1
		}
		if len(call.Args) <= place {
			return true
		}
		l, ok := call.Args[place].(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return true
		}
		message, _ := strconv.Unquote(l.Value)
		if logLabels[message] == "" && (!strings.Contains(message, " ") || strings.HasSuffix(message, ".") || unicode.IsUpper(rune(message[0]))) {
			found = append(found, fmt.Sprintf("%s: the log line %q is no sentence: say in lower case what happened to which thing", f.at(l), message))
		}
		return true
	})
	return found
}

// isLog reports whether an expression names a logger.
func isLog(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "log")
	case *ast.Ident:
		return strings.EqualFold(x.Name, "log") || x.Name == "slog"
	}
	return false
}

// Help texts, refusals, log lines and what tests say are read by people who know
// nothing of ours either.
func TestTextsUseTheWordsOfTheField(t *testing.T) {
	for _, f := range goFiles(t) {
		if under(f.dir, "internal/archtest") {
			continue
		}
		for _, complaint := range privateTexts(f) {
			t.Error(complaint)
		}
		if !f.test && shipped(f.dir) {
			for _, complaint := range logRiddles(f) {
				t.Error(complaint)
			}
		}
	}
}

var (
	codeInPage    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	scriptComment = regexp.MustCompile(`(^|\s)(//|/?\*+)\s.*`)
)

// Pages outside docs/decisions, which are history, and comments of scripts use the
// same words as comments of Go.
func TestPagesAndScriptsUseTheWordsOfTheField(t *testing.T) {
	seen := 0
	for _, top := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "web/src", "clients", "test/browser", "test/sdk"} {
		err := filepath.WalkDir(filepath.Join("../..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if slices.Contains([]string{"node_modules", "dist", "decisions"}, d.Name()) {
					return fs.SkipDir
				}
				return nil
			}
			ext := filepath.Ext(path)
			if !slices.Contains([]string{".md", ".ts", ".tsx", ".mjs"}, ext) {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen++
			prose := string(text)
			if ext == ".md" {
				prose = codeInPage.ReplaceAllStringFunc(prose, func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) })
			}
			for i, line := range strings.Split(prose, "\n") {
				if ext != ".md" {
					line = scriptComment.FindString(line)
				}
				if word := privateSentence.FindString(line); word != "" {
					t.Errorf("%s:%d says %q: say returns, reports, is or allows", strings.TrimPrefix(path, "../../"), i+1, word)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d pages and scripts were found", seen)
	}
}

func TestTheChecksOfTextsFindWhatTheyLookFor(t *testing.T) {
	for src, want := range map[string][2]int{
		`func f() { panic("it gives up") }`:                       {1, 0},
		`func f() { panic("give --all") }`:                        {0, 0},
		`func f() { log.Error("close", "error", err) }`:           {0, 1},
		`func f() { h.d.Log.Warn("The disk is full") }`:           {0, 1},
		`func f() { s.log.Info("the file was read.") }`:           {0, 1},
		`func f() { slog.InfoContext(ctx, "the file was read") }`: {0, 0},
		`func f() { t.Error("x") }`:                               {0, 0},
		`func f() { log.Info("audit") }`:                          {0, 0},
	} {
		f, err := parse("internal/messaging/x.go", "package p\n"+src)
		if err != nil {
			t.Fatal(err)
		}
		if texts, logs := len(privateTexts(f)), len(logRiddles(f)); texts != want[0] || logs != want[1] {
			t.Errorf("%s: %d texts and %d log lines, want %v", src, texts, logs, want)
		}
	}
	if scriptComment.FindString("const x = 'lets go'") != "" || scriptComment.FindString("/** It gives. */") == "" || scriptComment.FindString("f(); // lets it") == "" {
		t.Error("comments of scripts are not told from code")
	}
}
