package archtest

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lockedMaps are the maps that several goroutines share, each with what it
// holds. What is looked up here only to save reading it again is a cache, and
// belongs into platform/cache unless its line says why not.
var lockedMaps = map[string]string{
	// The two caches, and what only looks like one.
	"internal/platform/cache.Rows":                 "the cache of rows itself",
	"internal/platform/cache.Bounded":              "the bounded cache itself",
	"internal/tracker/entity.rowCache":             "a cache of its own: many rows are looked up under one lock, and each holds up to which version it is the newest (decision 0031)",
	"internal/tracker.dueTimes":                    "a cache of its own: a write carries the due time on to its own version instead of dropping it",
	"internal/tracker.syncIDs":                     "the versions by which caches are read: a number for each organization, which only grows",
	"internal/ingest.owners":                       "a cache of its own: whole projects are read at once, and commits add to what was read",
	"internal/ingest/blockstore.keyRuns":           "the newest keys, which are searched before the runs on disk",
	"internal/platform/store/sqlite.mappings":      "the files that are mapped, each for as long as a connection to it is open",
	"internal/platform/store.digests":              "one value for each list of schemas of the program",
	"internal/app.parsedFixtures":                  "one value for each fixture in the program",
	"internal/platform/environment/provision.kept": "a channel for each world that is being filled, closed at the end; one count for each fixture of the program",
	"internal/platform/mcpkit.pipe":                "the requests of standard input that have no reply yet",
	"internal/messaging/blockkit.patterns":         "one value for each pattern of the generated table",
	"internal/tracker/graph/engine.operation":      "the plans of one document, whose number has a bound",
	"internal/platform/cause.Tables":               "the numbers of sets of columns, which changes refer to",
	"internal/platform/store/postgres.Store":       "the templates of this program's schemas, and worlds that are observed",
	"internal/platform/store/sqlite/files.Folder":  "which worlds are open, and files that have several names",

	// Who listens, waits or is connected.
	"internal/platform/bus.Bus":              "subscribers",
	"internal/platform/edge.Connections":     "open connections",
	"internal/messaging.waits":               "requests that wait for events",
	"internal/messaging.presence":            "people who are connected",
	"internal/platform/environment.acting":   "sessions of admins who act as somebody",
	"internal/platform/outbox.Outbox":        "couriers by their destination",
	"internal/platform/outbox.agenda":        "couriers by their next turn",
	"internal/platform/store/postgres.wires": "open connections of the database",

	// What is counted or measured.
	"internal/platform/ratelimit.shard": "the buckets of callers",
	"internal/platform/auth.Throttle":   "failed attempts by address",
	"internal/platform/budget.Pool":     "bytes by owner",
	"internal/platform/obs.calmSeen":    "how often a line was logged",
	"internal/messaging.health":         "attempts by minute",
	"internal/platform/cause.Journal":   "places of copies, and since when worlds are noted",

	// What is open, and may be closed.
	"internal/platform/environment.Environment":      "the services of one environment",
	"internal/platform/environment/lifecycle.table":  "the states of environments",
	"internal/platform/store/lease.Set":              "leases by key",
	"internal/platform/store/sqlite.Store":           "open worlds",
	"internal/platform/store/sqlite.images":          "worlds in memory",
	"internal/platform/store/sqlite/files.handles":   "open files by their names",
	"internal/platform/store/sqlite/files.Templates": "templates by their schema",
	"internal/ingest/blockstore.Upkeep":              "how far maintenance came in each project",
	"internal/ingest/blockstore.quarantine":          "damaged blocks",
	"internal/platform/store/storetest.Witness":      "what a test has seen",
}

// sharedMaps returns the types of a file that have a lock and a map, and the
// variables that are a sync.Map.
func sharedMaps(f goFile) (found []string) {
	if f.test {
		return nil
	}
	for _, d := range f.ast.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if t, ok := s.Type.(*ast.StructType); ok && isSharedMap(t) {
					found = append(found, f.dir+"."+s.Name.Name)
				}
			case *ast.ValueSpec:
				if isSelector(s.Type, "sync", "Map") {
					found = append(found, f.dir+"."+s.Names[0].Name)
				}
			}
		}
	}
	return found
}

// isSharedMap reports whether a struct has a mutex and a map.
func isSharedMap(t *ast.StructType) bool {
	lock, table := false, false
	for _, field := range t.Fields.List {
		lock = lock || isSelector(field.Type, "sync", "Mutex") || isSelector(field.Type, "sync", "RWMutex")
		switch kind := field.Type.(type) {
		case *ast.MapType:
			table = true
		case *ast.SelectorExpr:
			if isSelector(kind, "sync", "Map") {
				return true
			}
		}
	}
	return lock && table
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg && s.Sel.Name == name
}

func TestSharedMapsSayWhatTheyHold(t *testing.T) {
	var found []string
	for _, f := range goFiles(t) {
		if shipped(f.dir) {
			found = append(found, sharedMaps(f)...)
		}
	}
	for _, name := range found {
		if lockedMaps[name] == "" {
			t.Errorf("%s has a map that goroutines share: a cache is made with platform/cache; for anything else say in lockedMaps what it holds", name)
		}
	}
	for name := range lockedMaps {
		if !slices.Contains(found, name) {
			t.Errorf("%s has no map that goroutines share: remove it from lockedMaps", name)
		}
	}
}

// idea is something that one package writes, for all.
type idea struct {
	literal *regexp.Regexp // in a string
	allowed []string       // directories
	instead string
}

var ideas = []idea{
	{regexp.MustCompile(`^Retry-After$`), []string{"internal/platform/httpkit", "internal/platform/outbox",
		"internal/tracker/mcptools", "internal/messaging/mcptools", "internal/messaging/acts"}, // clients, which read it
		"the header is written by httpkit.SetRetryAfter and httpkit.RetryIn"},
	{regexp.MustCompile(`(?i)%0?\d*x-%|\{8\}\)?-`), []string{"internal/platform/ids"},
		"the layout of a UUID is ids.FormatUUID, ids.ParseUUID and ids.IsUUID"},
}

// rewritten returns a complaint for each idea that a file writes again.
func rewritten(f goFile) (found []string) {
	if f.test {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok {
			return true
		}
		for _, i := range ideas {
			if i.literal.MatchString(strings.Trim(lit.Value, "`\"")) && !slices.ContainsFunc(i.allowed, func(d string) bool { return under(f.dir, d) }) {
				found = append(found, f.at(lit)+": "+i.instead)
			}
		}
		return true
	})
	return found
}

func TestOnePlaceForEachIdea(t *testing.T) { checkShipped(t, rewritten) }

// A dialect has one function that writes its refusals.
func TestOneWriteErrorForEachDialect(t *testing.T) {
	places := map[string][]string{}
	for _, f := range goFiles(t) {
		if !shipped(f.dir) || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.EqualFold(fn.Name.Name, "WriteError") {
				places[f.dir] = append(places[f.dir], f.at(fn))
			}
		}
	}
	if len(places) < 5 {
		t.Errorf("only %d dialects write refusals: the check looks for something else", len(places))
	}
	for dir, at := range places {
		if len(at) > 1 {
			t.Errorf("%s writes refusals in %d places: %v", dir, len(at), at)
		}
	}
}

func TestIdeasAreFound(t *testing.T) {
	rows := []struct {
		src   string
		found int
	}{
		{"func f() { h.Set(\"Retry-After\", \"1\") }", 1},
		{"func f() string { return fmt.Sprintf(\"%x-%x-%x\", a, b, c) }", 1},
		{"var r = regexp.MustCompile(`^[0-9a-f]{8}-`)", 1},
		{"type c struct {\nmu sync.Mutex\nrows map[string]int\n}", 1},
		{"type c struct {\nmu sync.RWMutex\nrows map[string]int\n}", 1},
		{"type c struct {\nrows sync.Map\n}", 1},
		{"var c sync.Map", 1},
		{"type c struct {\nrows map[string]int\n}", 0},
		{"type c struct {\nmu sync.Mutex\n}", 0},
		{"var s = \"Retry\"", 0},
	}
	for _, r := range rows {
		f, err := parse("internal/messaging/x.go", "package p\n"+r.src)
		if err != nil {
			t.Fatal(err)
		}
		if got := append(rewritten(f), sharedMaps(f)...); len(got) != r.found {
			t.Errorf("%q: found %q, want %d", r.src, got, r.found)
		}
	}
}
