package archtest

import (
	"slices"
	"strings"
	"testing"
)

// The order is the rule: a platform package may import those before it.
var (
	leaves   = []string{"fault", "fault/faulttest", "ids", "jsontext", "page", "opt", "clock", "background", "seeddoc", "bus", "cache", "words", "strict"}
	platform = []string{
		"system", // what differs between operating systems
		"obs", "memory",
		"ratelimit", "config", // config reads a limit policy
		"budget",
		"verdict/match", // reads its matchers from documents
		"yamldoc",       // needs a library, so it is no leaf
		"store/lease", "store", "store/group", "store/sqlite/files", "store/sqlite/pages", "store/sqlite", "store/postgres", "store/storetest",
		"diff",     // compares two worlds
		"outbound", // requests to addresses that users have named
		"auth", "record", "inject", "outbox",
		"trace",       // puts what an agent reported beside the requests that it made
		"verdict",     // decides whether a world became what was expected
		"cause",       // which request changed what, for a diff
		"environment", // opens a world with its tokens, limits, outbox and recorder
		"environment/worlds", "environment/catalogue", "environment/lifecycle", "environment/provision", "environment/clone", "environment/envtest",
		"program", // the program's own database
		"httpkit", "edge", "apidocs", "apidocs/docstest", "realtime", "mcpkit",
	}
	services = []string{"messaging", "crm", "tracker", "ingest"}
	wires    = []string{"webapi", "control", "acts", "rest", "graph", "push", "otlp"}
	// Packages that keep a service's data behind an interface that its root declares.
	backends = []string{"ingest/blockstore"}
	// Packages below a service's root that read or write its tables and know none of its rules.
	parts = []string{"crm/search", "tracker/entity", "tracker/search"}
	// Packages below a wire package that know no wire.
	pureBelowWire = []string{"tracker/graph/engine"}
	// What a service's root may take from the platform; its tests also take storetest.
	forRoots = []string{"store", "diff", "outbox", "auth", "budget"}
)

// kind is the part of the architecture a package belongs to.
type kind int

const (
	other kind = iota
	leaf
	plat
	root
	pure
	backend
	part
	wire
	tools
	console
	webui
	tasks
	pages
	app
	command
	helper // what tests of other people import
	blackbox
	arch
)

// place is a package of ours, taken apart.
type place struct {
	kind    kind
	service string // of root, pure, wire and tools
	name    string // below internal/platform, or below the service
}

// locate returns the part of the architecture that a directory belongs to.
func locate(dir string) place {
	switch {
	case under(dir, "cmd"):
		return place{kind: command}
	case under(dir, "understudytest"):
		return place{kind: helper}
	case under(dir, "test"):
		return place{kind: blackbox}
	case dir == "internal/app/apptest":
		return place{kind: app, name: "apptest"}
	case under(dir, "internal/app"):
		return place{kind: app}
	case under(dir, "internal/console"):
		return place{kind: console}
	case under(dir, "internal/webui"):
		return place{kind: webui}
	case under(dir, "internal/task"):
		return place{kind: tasks}
	case under(dir, "web"):
		return place{kind: pages}
	case under(dir, "internal/archtest"):
		return place{kind: arch}
	case under(dir, "internal/platform"):
		name := strings.TrimPrefix(dir, "internal/platform/")
		if slices.Contains(leaves, name) {
			return place{kind: leaf, name: name}
		}
		return place{kind: plat, name: name}
	}
	for _, s := range services {
		base := "internal/" + s
		if dir == base || under(dir, base+"/migrations") {
			return place{kind: root, service: s}
		}
		if !under(dir, base) {
			continue
		}
		name := strings.TrimPrefix(dir, base+"/")
		first, _, _ := strings.Cut(name, "/")
		switch {
		case first == "mcptools":
			return place{tools, s, name}
		case slices.Contains(wires, first) && !slices.Contains(pureBelowWire, s+"/"+name):
			return place{wire, s, name}
		case slices.Contains(backends, s+"/"+first):
			return place{backend, s, name}
		case slices.Contains(parts, s+"/"+first):
			return place{part, s, name}
		}
		return place{pure, s, name}
	}
	return place{}
}

// platformRank orders platform packages; a package below a listed one counts as that one.
func platformRank(name string) int {
	best, length := -1, -1
	for i, p := range platform {
		if under(name, p) && len(p) > length {
			best, length = i, len(p)
		}
	}
	return best
}

var drivers = []string{"modernc.org/sqlite", "github.com/jackc/pgx", "github.com/mattn/go-sqlite3", "github.com/lib/pq"}

func isDriver(imp string) bool {
	return slices.ContainsFunc(drivers, func(d string) bool { return under(imp, d) })
}

// mayDrive reports whether a package may import database drivers: the two
// engines, and the tests' counterpart that measures drivers alone.
func mayDrive(p place) bool {
	return p.kind == plat && (isEngine(p) || p.name == "store/storetest/bare")
}

func isEngine(p place) bool {
	return p.kind == plat && (under(p.name, "store/sqlite") || under(p.name, "store/postgres"))
}

// sameEngine reports whether both packages belong to the same engine.
func sameEngine(a, b place) bool {
	return a.kind == plat && (under(a.name, "store/sqlite") && under(b.name, "store/sqlite") ||
		under(a.name, "store/postgres") && under(b.name, "store/postgres"))
}

func isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".") && first != module
}

// refuse returns the sentence that explains why a file of from may not import imp, or "".
func refuse(from place, test bool, imp string) string {
	inside, ours := strings.CutPrefix(imp, module+"/")
	if !ours {
		return refuseOutside(from, test, imp)
	}
	to := locate(inside)
	if to.kind == app && from.kind != app && from.kind != command && from.kind != helper && !test {
		return "app is the composition root: only cmd, understudytest and tests import it; take what you need as a parameter"
	}
	if to.kind == helper && from.kind != helper {
		return "understudytest is for other people's tests: start a server with apptest or test/server"
	}
	if to.kind == tasks && from.kind != tasks && from.kind != command && !test {
		return "tasks are a client of the admin plane: only cmd runs them"
	}
	if to.name == "store/storetest" && !test && from.name != "environment/envtest" && from.name != "apptest" {
		return "storetest makes worlds for tests; code takes a *store.World"
	}
	if isEngine(to) && from.kind != app && from.name != "store/storetest" && !sameEngine(from, to) && !test {
		return "only app chooses an engine: take a store.Store or a *store.World"
	}
	if to.name == "fault/faulttest" && !test {
		return "faulttest reads source files, for tests alone"
	}
	if to.name == "apidocs/docstest" && !test {
		return "docstest compares replies with descriptions, for tests alone"
	}
	if to.name == "environment/envtest" && !test {
		return "envtest provides a service for tests; code takes a *environment.Environment"
	}
	switch from.kind {
	case leaf:
		switch {
		case to.kind == leaf && to.name == "fault":
			return "" // a leaf that reads input must be able to refuse it
		case from.name == "cache" && to.name == "bus":
			return "" // what caches drop is published
		}
		return "a leaf imports nothing of ours but fault: move what needs it to the package that uses both"
	case plat:
		return refusePlatform(from, to, test)
	case root:
		return refuseRoot(from, to, test)
	case pure:
		if to.kind == leaf || (to.kind == pure && to.service == from.service) {
			return ""
		}
		return "a pure package imports leaves, libraries and pure packages of its service only: pass in what it needs, or move the code to the service's root"
	case backend:
		return refuseRoot(from, to, test) // it may take what the root may, and the root itself
	case part:
		if to.kind == root && to.service == from.service && !test {
			return "a part of a service knows none of its rules: let the root pass in what it needs"
		}
		return refuseRoot(from, to, test)
	case wire:
		if to.kind == backend && !test {
			return "the wire asks the service's root; app chooses the backend behind it"
		}
		return refuseWire(from, to, test)
	case tools:
		if to.kind == leaf || to.kind == tools && to.service == from.service || to.name == "httpkit" || to.name == "mcpkit" || test {
			return ""
		}
		return "tools are clients: call the wire API through an *http.Client"
	case console:
		if to.kind == leaf || to.kind == plat || to.kind == console || test {
			return ""
		}
		return "the admin plane knows no service: let app hand it an interface"
	case webui:
		if to.kind == leaf || to.kind == webui || to.kind == plat && to.name == "httpkit" || test {
			return ""
		}
		return "the web UI is files: it calls the public routes from the browser, and knows no service"
	case tasks:
		if to.kind == leaf || to.kind == tasks || test {
			return ""
		}
		return "tasks are run by a client of the admin plane: ask over HTTP, and let cmd pass in what it has read"
	case pages:
		return "the built pages import nothing of ours"
	case helper:
		if test || to.kind == app || to.name == "config" {
			return ""
		}
		return "the helper starts app from its config and is a client of the admin plane"
	case blackbox:
		if to.kind == blackbox || to.name == "store/storetest/throwaway" || to.name == "store/storetest/bare" { // a database, nothing of ours
			return ""
		}
		return "tests below test/ are black boxes: drive the binary through its public wire"
	case arch:
		return "archtest reads source files; it imports nothing of ours"
	}
	return ""
}

func refusePlatform(from, to place, test bool) string {
	if to.kind == leaf {
		return ""
	}
	if to.kind != plat {
		return "the platform knows no service: let the service, or app, hand it an interface"
	}
	f, t := platformRank(from.name), platformRank(to.name)
	if f < 0 || t < 0 {
		return "a platform package missing from the list in internal/archtest/imports_test.go: give it its place in the order"
	}
	if t > f && !test {
		return "platform packages import only those before them in internal/archtest/imports_test.go: declare the interface here and let app join them"
	}
	return ""
}

func refuseRoot(from, to place, test bool) string {
	switch {
	case to.kind == leaf, to.service == from.service && (to.kind == root || to.kind == pure || to.kind == part):
		return ""
	case to.service == from.service && to.kind == backend && (from.kind == backend || test):
		return ""
	case to.kind == plat && slices.Contains(forRoots, to.name):
		return ""
	case to.kind == plat && test:
		return ""
	case to.kind == app && to.name == "apptest" && test:
		return ""
	case to.service != "" && to.service != from.service:
		return "services share the platform and nothing else"
	case to.kind == wire:
		return "rules know no wire: return a value or a fault.Error and let the wire package render it"
	}
	return "a service's root imports leaves, store, outbox, auth and budget: take the rest as a parameter"
}

func refuseWire(from, to place, test bool) string {
	switch {
	case to.kind == leaf, to.service == from.service && to.kind != tools:
		return ""
	case test && (to.kind == plat || to.kind == app):
		return ""
	case to.kind == plat && under(to.name, "store"):
		return "a wire package knows no SQL: put the rule into the service's root and call it"
	case to.kind == plat:
		return ""
	case to.service != "" && to.service != from.service:
		return "services share the platform and nothing else"
	}
	return "a wire package imports leaves, the platform and its own service"
}

func refuseOutside(from place, test bool, imp string) string {
	switch {
	case isDriver(imp) && !mayDrive(from):
		return "database drivers are imported below store/sqlite and store/postgres alone: go through World.Read and World.Write"
	case from.kind == leaf && !isStandard(imp) && !test:
		return "leaves stand on the standard library alone"
	case (from.kind == root || from.kind == part) && under(imp, "net/http") && !test:
		return "a service's root has no HTTP: status codes and headers belong to its wire packages"
	case from.kind == pure && (under(imp, "net/http") || under(imp, "database/sql")) && !test:
		return "a pure package has neither HTTP nor SQL"
	case from.kind == wire && under(imp, "database/sql"):
		return "a wire package knows no SQL: put the rule into the service's root and call it"
	case from.kind == blackbox && isDriver(imp):
		return "tests below test/ are black boxes: drive the binary through its public wire"
	}
	return ""
}

func TestImportsPointTheRightWay(t *testing.T) {
	for _, f := range goFiles(t) {
		from := locate(f.dir)
		for imp, node := range f.imports() {
			if why := refuse(from, f.test, imp); why != "" {
				t.Errorf("%s imports %s: %s", f.at(node), imp, why)
			}
		}
	}
}

func TestEveryPlatformPackageHasItsPlace(t *testing.T) {
	for _, f := range goFiles(t) {
		if p := locate(f.dir); p.kind == plat && platformRank(p.name) < 0 {
			t.Errorf("%s: add %q to the ordered list in internal/archtest/imports_test.go", f.path, p.name)
		}
	}
}

func TestEveryInternalPackageBelongsToAPart(t *testing.T) {
	for _, f := range goFiles(t) {
		if under(f.dir, "internal") && locate(f.dir).kind == other {
			t.Errorf("%s belongs to no part of the architecture: a service, the platform, console or app", f.path)
		}
	}
}

// The table itself: one row for each arrow that must, or must not, be there.
func TestImportTable(t *testing.T) {
	rows := []struct {
		from, imp string
		test, ok  bool
	}{
		{"internal/platform/clock", "time", false, true},
		{"internal/platform/clock", "understudy/internal/platform/ids", false, false},
		{"internal/platform/page", "understudy/internal/platform/fault", false, true},
		{"internal/platform/clock", "github.com/alecthomas/kong", false, false},
		{"internal/platform/cache", "understudy/internal/platform/bus", false, true},
		{"internal/platform/bus", "understudy/internal/platform/cache", false, false},
		{"internal/platform/store", "understudy/internal/platform/clock", false, true},
		{"internal/platform/store", "modernc.org/sqlite", false, false},
		{"internal/platform/store", "understudy/internal/platform/store/sqlite", false, false},
		{"internal/platform/store/sqlite", "modernc.org/sqlite", false, true},
		{"internal/platform/store/sqlite", "understudy/internal/platform/store", false, true},
		{"internal/platform/store/sqlite", "understudy/internal/platform/store/sqlite/files", false, true},
		{"internal/platform/store/postgres", "github.com/jackc/pgx/v5", false, true},
		{"internal/platform/store/postgres", "understudy/internal/platform/store/sqlite", false, false},
		{"internal/platform/store/storetest", "github.com/jackc/pgx/v5", false, false},
		{"internal/platform/environment", "understudy/internal/platform/store/sqlite", false, false},
		{"internal/app", "understudy/internal/platform/store/sqlite", false, true},
		{"internal/platform/store", "understudy/internal/platform/auth", false, false},
		{"internal/platform/outbox", "understudy/internal/platform/store", false, true},
		{"internal/platform/outbox", "understudy/internal/messaging", false, false},
		{"internal/platform/auth", "github.com/jackc/pgx/v5", false, false},
		{"internal/platform/store", "understudy/internal/platform/store/storetest", false, false},
		{"internal/messaging", "understudy/internal/platform/store", false, true},
		{"internal/messaging", "understudy/internal/platform/store/storetest", true, true},
		{"internal/messaging", "understudy/internal/platform/store/storetest", false, false},
		{"internal/messaging", "understudy/internal/platform/httpkit", false, false},
		{"internal/messaging", "understudy/internal/messaging/mrkdwn", false, true},
		{"internal/messaging", "understudy/internal/messaging/webapi", false, false},
		{"internal/messaging", "understudy/internal/crm", false, false},
		{"internal/messaging", "net/http", false, false},
		{"internal/messaging/mrkdwn", "golang.org/x/text/unicode/norm", false, true},
		{"internal/messaging/mrkdwn", "understudy/internal/messaging/emoji", false, true},
		{"internal/messaging/mrkdwn", "understudy/internal/platform/store", false, false},
		{"internal/messaging/mrkdwn", "understudy/internal/messaging", false, false},
		{"internal/crm", "understudy/internal/crm/search", false, true},
		{"internal/crm/search", "understudy/internal/platform/store", false, true},
		{"internal/crm/search", "understudy/internal/crm/schema", false, true},
		{"internal/crm/search", "understudy/internal/crm", false, false},
		{"internal/crm/search", "understudy/internal/crm", true, true},
		{"internal/crm", "understudy/internal/app/apptest", true, true},
		{"internal/crm", "understudy/internal/app/apptest", false, false},
		{"internal/crm", "understudy/internal/app", true, false},
		{"internal/crm/search", "net/http", false, false},
		{"internal/messaging/webapi", "understudy/internal/messaging", false, true},
		{"internal/messaging/webapi/method", "understudy/internal/messaging/blockkit", false, true},
		{"internal/messaging/webapi", "understudy/internal/platform/httpkit", false, true},
		{"internal/messaging/webapi", "understudy/internal/platform/store", false, false},
		{"internal/messaging/webapi", "understudy/internal/platform/store", true, true},
		{"internal/messaging/webapi", "database/sql", false, false},
		{"internal/messaging/webapi", "understudy/internal/tracker", false, false},
		{"internal/tracker/graph", "understudy/internal/tracker/graph/engine", false, true},
		{"internal/tracker/graph", "understudy/internal/tracker/entity", false, true},
		{"internal/tracker", "understudy/internal/tracker/entity", false, true},
		{"internal/tracker/entity", "understudy/internal/platform/store", false, true},
		{"internal/tracker/entity", "understudy/internal/tracker", false, false},
		{"internal/tracker/entity", "net/http", false, false},
		{"internal/tracker/graph/engine", "understudy/internal/tracker", false, false},
		{"internal/messaging/mcptools", "understudy/internal/messaging", false, false},
		{"internal/messaging/mcptools", "understudy/internal/platform/mcpkit", false, true},
		{"internal/console", "understudy/internal/platform/environment", false, true},
		{"internal/platform/environment", "understudy/internal/platform/environment/lifecycle", false, false},
		{"internal/platform/environment/catalogue", "understudy/internal/platform/environment/lifecycle", false, false},
		{"internal/platform/environment/lifecycle", "understudy/internal/platform/environment/clone", false, false},
		{"internal/platform/environment/clone", "understudy/internal/platform/environment/lifecycle", false, true},
		{"internal/platform/environment/lifecycle", "understudy/internal/platform/environment/envtest", true, true},
		{"internal/console", "understudy/internal/platform/environment/envtest", false, false},
		{"internal/console", "understudy/internal/messaging", false, false},
		{"internal/webui", "understudy/internal/platform/httpkit", false, true},
		{"internal/webui", "understudy/internal/messaging", false, false},
		{"internal/webui", "understudy/internal/platform/environment", false, false},
		{"internal/task", "understudy/internal/platform/seeddoc", false, true},
		{"internal/task/runner", "understudy/internal/task/plane", false, true},
		{"internal/task/runner", "understudy/internal/platform/environment", false, false},
		{"internal/task/runner", "understudy/internal/app", false, false},
		{"internal/task", "understudy/internal/platform/yamldoc", true, true},
		{"internal/app", "understudy/internal/task", false, false},
		{"internal/app", "understudy/web", false, true},
		{"internal/console", "understudy/web", false, false},
		{"internal/app", "understudy/internal/messaging/webapi", false, true},
		{"internal/console", "understudy/internal/app", false, false},
		{"cmd/understudy", "understudy/internal/app", false, true},
		{"understudytest", "understudy/internal/app", false, true},
		{"understudytest", "understudy/internal/platform/config", false, true},
		{"understudytest", "understudy/internal/platform/environment", false, false},
		{"understudytest", "understudy/internal/messaging", false, false},
		{"internal/console", "understudy/understudytest", false, false},
		{"internal/app", "understudy/understudytest", true, false},
		{"test/e2e", "understudy/internal/platform/store", true, false},
		{"test/e2e", "understudy/test/server", true, true},
		{"test/server", "understudy/internal/platform/store/storetest/throwaway", false, true},
		{"test/load/crm", "understudy/internal/platform/store/storetest/bare", false, true},
	}
	for _, r := range rows {
		why := refuse(locate(r.from), r.test, r.imp)
		if (why == "") != r.ok {
			t.Errorf("%s -> %s (test %v): allowed %v, want %v (%s)", r.from, r.imp, r.test, why == "", r.ok, why)
		}
	}
}
