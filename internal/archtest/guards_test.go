package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statement matches the start of a SQL statement, not prose that begins with the same word.
var statement = regexp.MustCompile(`(?is)^\s*(` + strings.Join([]string{
	`select\s.+\sfrom\s`, `select\s+(1|count|max|min|exists|coalesce)\b`,
	`insert\s+(or\s+\w+\s+)?into\s`, `replace\s+into\s`,
	`update\s+[\w."]+\s+set\s`, `delete\s+from\s`,
	`create\s+(unique\s+|virtual\s+|temp\s+)?(table|index|view|trigger|schema)\s`,
	`drop\s+(table|index|view|trigger|schema)\s`, `alter\s+table\s`, `truncate\s`,
	`with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s*\(`, `pragma\s+\w+`,
}, "|") + `)`)

// shipped are the directories whose code runs in the binary.
func shipped(dir string) bool {
	return under(dir, "internal") && !under(dir, "internal/archtest") || under(dir, "cmd")
}

// sqlOutsideItsPlace returns a complaint for each statement in a file that may hold none.
func sqlOutsideItsPlace(f goFile) (found []string) {
	if under(f.dir, "internal/platform/store") {
		return nil // the dialects themselves: schemas, pragmas, introspection
	}
	if f.test || strings.HasSuffix(f.path, "_sql.go") || strings.Contains(f.path, "/migrations/") {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if s, err := strconv.Unquote(lit.Value); err == nil && statement.MatchString(s) {
			found = append(found, f.at(lit)+" holds SQL: move the statement to a file named *_sql.go beside its rule")
		}
		return true
	})
	return found
}

// ban is a function or a whole package that only some places may use.
type ban struct {
	pkg     string
	names   []string // empty: the import itself
	allowed []string // directories
	instead string
}

var bans = []ban{
	{"time", []string{"Now", "Since", "Until"}, []string{"internal/platform/clock"},
		"ask the environment's clock; for durations and deadlines use clock.Real()"},
	{"time", []string{"Sleep", "Tick"}, []string{"internal/platform/store/postgres", "internal/platform/store/storetest"}, // asks for another process's lock; tests
		"wait for what happens: a channel, a lease, a background.Worker"},
	{"container/list", nil, []string{"internal/platform/cache"}, "values used last are kept by cache.Bounded"},
	{"encoding/base64", nil, []string{
		"internal/platform/page", "internal/tracker/entity", "internal/messaging/webapi", // cursors: our own, Relay's, and reading those of upstream's form
		"internal/platform/ids", "internal/platform/auth", "internal/platform/apidocs", "internal/crm", "internal/ingest/otlp", // secrets, hashes, bytes in attributes
	}, "cursors are written and read by platform/page, those of the tracker by tracker/entity"},
	{"math/rand", nil, nil, "take an *ids.Source: a seeded environment must answer with the same bytes again"},
	{"math/rand/v2", nil, nil, "take an *ids.Source: a seeded environment must answer with the same bytes again"},
	{"crypto/rand", nil, []string{"internal/platform/ids", "internal/platform/clock"},
		"take an *ids.Source: a seeded environment must answer with the same bytes again"},
	{"os", []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}, []string{"cmd", "internal/platform/config", "internal/platform/store/storetest"},
		"read options through platform/config, so that every flag has its variable and its help line"},
}

// banned returns a complaint for each use of a ban.
func banned(f goFile) (found []string) {
	if f.test {
		return nil
	}
	for _, b := range bans {
		name := f.localName(b.pkg)
		if name == "" || slices.ContainsFunc(b.allowed, func(d string) bool { return under(f.dir, d) }) {
			continue
		}
		if b.names == nil {
			found = append(found, f.path+" imports "+b.pkg+": "+b.instead)
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && slices.Contains(b.names, sel.Sel.Name) {
				found = append(found, f.at(sel)+" uses "+b.pkg+"."+sel.Sel.Name+": "+b.instead)
			}
			return true
		})
	}
	return found
}

// checkShipped fails the test with each complaint about a file of the binary.
func checkShipped(t *testing.T, complaints func(f goFile) []string) {
	t.Helper()
	for _, f := range goFiles(t) {
		if shipped(f.dir) {
			for _, c := range complaints(f) {
				t.Error(c)
			}
		}
	}
}

func TestSQLStandsInItsPlace(t *testing.T) { checkShipped(t, sqlOutsideItsPlace) }

func TestTimeRandomnessAndEnvironmentComeThroughTheirDoors(t *testing.T) { checkShipped(t, banned) }

// directive is what begins a directive of the compiler behind the slashes.
var directive = regexp.MustCompile(`^//\s+go:(embed|linkname|build|generate|noinline) `)

// mutedDirectives returns a complaint for each directive of the compiler that a
// blank makes a comment.
func mutedDirectives(f goFile) (found []string) {
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if directive.MatchString(c.Text) {
				found = append(found, f.at(c)+" is a comment: a directive has no blank after the slashes")
			}
		}
	}
	return found
}

func TestDirectivesAreNoComments(t *testing.T) { checkShipped(t, mutedDirectives) }

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		documented[f.dir] = documented[f.dir] || f.ast.Doc != nil
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment: say what it is for and what it refuses to know", dir)
		}
	}
}

// A guard that finds nothing anywhere proves nothing: each is shown what it must find and what it must leave.
func TestGuardsFindWhatTheyGuardAgainst(t *testing.T) {
	rows := []struct {
		name, src string
		found     int
	}{
		{"internal/messaging/channel.go", "package p\nconst q = `SELECT id\n FROM channels`", 1},
		{"internal/messaging/channel.go", "package p\nconst q = \"insert into a values (?)\"", 1},
		{"internal/messaging/channel.go", "package p\nconst q = \"UPDATE a SET b = ?\"", 1},
		{"internal/messaging/channel.go", "package p\nconst q = \"update the channel\"", 0},
		{"internal/messaging/channel_sql.go", "package p\nconst q = \"DELETE FROM a\"", 0},
		{"internal/messaging/channel_test.go", "package p\nconst q = \"DELETE FROM a\"", 0},
		{"internal/messaging/channel.go", "package p\nimport \"time\"\nvar t = time.Now()", 1},
		{"internal/messaging/channel.go", "package p\nimport \"time\"\nvar t = time.Second", 0},
		{"internal/messaging/channel.go", "package p\nimport now \"time\"\nvar t = now.Since(u)", 1},
		{"internal/platform/clock/x.go", "package p\nimport \"time\"\nvar t = time.Now()", 0},
		{"internal/platform/auth/x.go", "package p\nimport \"crypto/rand\"\nvar t = rand.Reader", 1},
		{"internal/platform/ids/x.go", "package p\nimport \"crypto/rand\"\nvar t = rand.Reader", 0},
		{"internal/platform/ids/x.go", "package p\nimport \"math/rand/v2\"\nvar t = rand.Int()", 1},
		{"internal/crm/rest/x.go", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }", 1},
		{"internal/console/x.go", "package p\nimport \"encoding/base64\"", 1},
		{"internal/app/x.go", "package p\nimport \"os\"\nvar t = os.Getenv(\"A\")", 1},
		{"cmd/understudy/x.go", "package p\nimport \"os\"\nvar t = os.Getenv(\"A\")", 0},
		{"internal/app/x.go", "package p\nimport \"embed\"\n// All of them.\n//\n// go:embed files\nvar f embed.FS", 1},
		{"internal/app/x.go", "package p\nimport _ \"unsafe\" // for go:linkname\n//go:embed files\nvar f embed.FS", 0},
	}
	for _, r := range rows {
		f, err := parse(r.name, r.src)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Concat(sqlOutsideItsPlace(f), banned(f), mutedDirectives(f)); len(got) != r.found {
			t.Errorf("%s %q: found %q, want %d", r.name, r.src, got, r.found)
		}
	}
}
