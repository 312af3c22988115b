package store

import (
	"context"
	"fmt"
	"os"
	"sync"
)

// templatePrefix begins the names of files that hold the tables of some
// schemas and nothing else. A new world is a copy of one.
const templatePrefix = "template_"

type template struct {
	mu    sync.Mutex
	ready bool
}

// templateOf gives the path of the template of schemas, and makes it at the first use.
func (s *sqliteStore) templateOf(ctx context.Context, schemas []Schema) (string, error) {
	digest := schemasDigest(schemas)
	s.templates.Lock()
	t := s.template[digest]
	if t == nil {
		t = &template{}
		s.template[digest] = t
	}
	s.templates.Unlock()
	name := fmt.Sprintf("%s%d", templatePrefix, digest)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ready {
		return s.path(name), nil
	}
	if err := s.Drop(ctx, name); err != nil { // an earlier run's: it is cheaper to make than to check
		return "", err
	}
	if err := s.migrateFile(ctx, s.dsn(name), schemas); err != nil {
		return "", err
	}
	t.ready = true
	return s.path(name), nil
}

// fromTemplate makes the file of a new world.
func (s *sqliteStore) fromTemplate(ctx context.Context, world string, schemas []Schema, durable bool) error {
	path, err := s.templateOf(ctx, schemas)
	if err != nil {
		return err
	}
	to := s.path(world)
	if err := copyFile(path, to+".new", durable); err != nil {
		return err
	}
	if err := os.Rename(to+".new", to); err != nil || !durable {
		return err
	}
	return syncFile(s.dir)
}
