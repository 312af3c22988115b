package archtest

import (
	"go/ast"
	"testing"
)

// maxLines and maxMethods are the bounds of a hand-written file and of a type.
const (
	maxLines   = 400
	maxMethods = 15
)

// longFiles may be longer, each for its reason, up to longest lines.
var longFiles = map[string]string{
	"internal/app/determinism_test.go":            "one script against a seeded program, run twice: its calls are its length",
	"internal/crm/find_differential_test.go":      "one model of search beside the real one, and the generator that compares them",
	"internal/archtest/imports_test.go":           "one table of imports and the functions that read it",
	"internal/messaging/blockkit/reading_test.go": "one table of blocks and what becomes of each",
	"internal/messaging/messaging_test.go":        "the rules of posting and reading on one fixture; new rules get a file of their own",
	"internal/platform/outbox/outbox_test.go":     "one receiver and what it must see, in the order of a delivery's life",
}

const longest = 800

// reason is why a type may have more methods than others, and how many at most.
type reason struct {
	most int
	why  string
}

// largeTypes may have more methods, each for its reason. A type that reaches its
// bound is split, or its reason is given anew.
var largeTypes = map[string]reason{
	// What a wire package calls: one method for each rule, each with a transaction of its own.
	"internal/messaging.Service":      {230, "the rules of messaging in one world"},
	"internal/crm.CRM":                {105, "the rules of the CRM in one world"},
	"internal/tracker.Tracker":        {85, "the rules of the tracker in one world"},
	"internal/ingest.Ingest":          {95, "the rules of ingestion in one world"},
	"internal/platform/auth.Auth":     {45, "tokens, sessions and accounts of one world, which are revoked together"},
	"internal/platform/outbox.Outbox": {25, "events, their deliveries and their settings in one world"},

	// What all services hold of their database.
	"internal/platform/store.World": {20, "one environment's database: a method for each way of reading, writing, copying and closing it"},

	// What one transaction, document or call carries along.
	"internal/tracker.writer":               {95, "the View of one write: a method for each part of an input"},
	"internal/tracker.View":                 {40, "what one caller sees: a method for each thing that is looked up"},
	"internal/tracker.seeder":               {30, "one pass over a seed document: a method for each kind of entry"},
	"internal/messaging.seeder":             {25, "one pass over a seed document: a method for each kind of entry"},
	"internal/crm.seeder":                   {20, "one pass over a seed document: a method for each kind of entry"},
	"internal/crm/search.postings":          {25, "the word index of one world: a method for each step of filling and reading it"},
	"internal/crm.Definitions":              {60, "what a portal's records are checked against: a method for each question"},
	"internal/crm/search.plan":              {40, "one search being planned: a method for each kind of step"},
	"internal/tracker/entity.compiler":      {30, "one filter being compiled: a method for each kind of comparison"},
	"internal/tracker/entity.Kind":          {45, "one kind of row: a method for each way of reading it"},
	"internal/messaging/blockkit.validator": {30, "one pass over blocks: a method for each kind"},
	"internal/messaging/markdown.writer":    {20, "one pass over a document: a method for each kind of node"},

	// What other people's tests call.
	"understudytest.Person": {22, "what one person does: a method for each act"},

	// Wire packages: one method for each route or upstream method.
	"internal/messaging/webapi.call":     {30, "one call: a method for each of what handlers ask of it"},
	"internal/messaging/control.Handler": {25, "one method for each route"},
	"internal/crm/rest.call":             {150, "one method for each route"},
	"internal/tracker/rest.Handler":      {25, "one method for each route"},
	"internal/ingest/rest.Handler":       {50, "one method for each route"},
	"internal/console.Console":           {45, "one method for each route"},

	// The platform.
	"internal/app.App":                                     {40, "the composition root: a method for each part that it builds, starts and ends"},
	"internal/platform/environment.Environment":            {30, "what services are bound to: a method for each thing that they may ask"},
	"internal/platform/environment/catalogue.Catalogue":    {20, "one method for each question to the list of environments"},
	"internal/platform/environment/lifecycle.Environments": {25, "one method for each transition, under one lock"},
	"internal/platform/outbox.courier":                     {30, "one loop and the states of an attempt, which do not stand alone"},
	"internal/platform/realtime.Hub":                       {25, "rooms and connections under one lock"},
	"internal/platform/store/sqlite.Store":                 {35, "the methods of store.Store, and the steps of opening and copying a file"},
	"internal/platform/store/sqlite.world":                 {35, "the methods of store.Backend, and what they do with the one writer's connection"},
	"internal/platform/store/sqlite.conn":                  {20, "the methods of store.Conn, and its cache of statements"},
	"internal/platform/store/sqlite/files.Folder":          {30, "names and files under one order of locks (LOCKS.md)"},
	"internal/platform/store/postgres.Store":               {30, "the methods of store.Store, and the steps of making a schema"},
}

func TestFilesStaySmall(t *testing.T) {
	lines := map[string]int{}
	for _, f := range goFiles(t) {
		lines[f.path] = f.lines
		most := maxLines
		if longFiles[f.path] != "" {
			most = longest
		}
		if f.lines > most && !ast.IsGenerated(f.ast) {
			t.Errorf("%s has %d lines, more than %d: which two things are in it? Split it, or give the reason in longFiles", f.path, f.lines, most)
		}
	}
	for path := range longFiles {
		if lines[path] <= maxLines {
			t.Errorf("%s has %d lines and needs no reason: remove it from longFiles", path, lines[path])
		}
	}
}

// methods counts the methods of each type of a folder, without those of tests.
func methods(files []goFile) map[string]int {
	out := map[string]int{}
	for _, f := range files {
		if f.test || ast.IsGenerated(f.ast) {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				out[f.dir+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
	}
	return out
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func TestTypesStaySmall(t *testing.T) {
	found := methods(goFiles(t))
	for name, n := range found {
		most := max(maxMethods, largeTypes[name].most)
		if n > most {
			t.Errorf("%s has %d methods, more than %d: which two things is it? Split it, or give the reason in largeTypes", name, n, most)
		}
	}
	for name := range largeTypes {
		if found[name] <= maxMethods {
			t.Errorf("%s has %d methods and needs no reason: remove it from largeTypes", name, found[name])
		}
	}
}

func TestMethodsAreCounted(t *testing.T) {
	f, err := parse("internal/messaging/x.go", "package p\nfunc (*A) a() {}\nfunc (A) b() {}\nfunc (x *B[T]) c() {}\nfunc (B[T, U]) d() {}\nfunc e() {}")
	if err != nil {
		t.Fatal(err)
	}
	got := methods([]goFile{f})
	if len(got) != 2 || got["internal/messaging.A"] != 2 || got["internal/messaging.B"] != 2 {
		t.Errorf("counted %v", got)
	}
}
