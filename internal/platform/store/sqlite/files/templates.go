package files

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"understudy/internal/platform/store"
)

// templatePrefix is the prefix of the names of templates: files with the tables
// of some schemas and only the rows of their migrations. New worlds are copies of
// them.
const templatePrefix = "template_"

// Templates holds one template for each list of schemas.
type Templates struct {
	folder  *Folder
	migrate func(ctx context.Context, world string, schemas []store.Schema) error

	mu       sync.Mutex
	byDigest map[uint32]*template
}

type template struct {
	mu    sync.Mutex
	ready bool
	world *store.World // open for reading as an empty world; nil initially
}

// NewTemplates returns the templates of a directory. migrate creates a world's
// file and runs all migrations in it.
func NewTemplates(f *Folder, migrate func(ctx context.Context, world string, schemas []store.Schema) error) *Templates {
	return &Templates{folder: f, migrate: migrate, byDigest: map[uint32]*template{}}
}

// lock returns the template of schemas and its name, created and locked.
func (ts *Templates) lock(ctx context.Context, schemas []store.Schema) (t *template, name string, err error) {
	digest := store.Digest(schemas)
	ts.mu.Lock()
	t = ts.byDigest[digest]
	if t == nil {
		t = &template{}
		ts.byDigest[digest] = t
	}
	ts.mu.Unlock()
	name = fmt.Sprintf("%s%d", templatePrefix, digest)
	t.mu.Lock()
	if t.ready {
		return t, name, nil
	}
	if err = ts.folder.Remove(name); err == nil { // of an earlier run: creating it again is cheaper than checking it
		err = ts.migrate(ctx, name, schemas)
	}
	if err != nil {
		t.mu.Unlock()
		return nil, "", err
	}
	t.ready = true
	return t, name, nil
}

// Path returns the path of the template of schemas, and creates it on the first
// call.
func (ts *Templates) Path(ctx context.Context, schemas []store.Schema) (string, error) {
	t, name, err := ts.lock(ctx, schemas)
	if err != nil {
		return "", err
	}
	t.mu.Unlock()
	return ts.folder.Path(name), nil
}

// World returns the template of schemas as an open, read-only world. open opens
// it on the first call.
func (ts *Templates) World(ctx context.Context, schemas []store.Schema, open func(name string) (*store.World, error)) (*store.World, error) {
	t, name, err := ts.lock(ctx, schemas)
	if err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	if t.world == nil {
		t.world, err = open(name)
	}
	return t.world, err
}

// Close closes the worlds that World opened.
func (ts *Templates) Close() (err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byDigest {
		t.mu.Lock()
		if t.world != nil {
			err = errors.Join(err, t.world.Close())
			t.world = nil
		}
		t.mu.Unlock()
	}
	return err
}
