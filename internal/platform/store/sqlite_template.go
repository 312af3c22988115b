package store

import (
	"context"
	"errors"
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
	world *World // open to be read as a world that holds nothing; nil when nobody did
}

// lockTemplate gives the template of schemas and its name, made and locked.
func (s *sqliteStore) lockTemplate(ctx context.Context, schemas []Schema) (t *template, name string, err error) {
	digest := schemasDigest(schemas)
	s.templates.Lock()
	t = s.template[digest]
	if t == nil {
		t = &template{}
		s.template[digest] = t
	}
	s.templates.Unlock()
	name = fmt.Sprintf("%s%d", templatePrefix, digest)
	t.mu.Lock()
	if t.ready {
		return t, name, nil
	}
	if err = s.Drop(ctx, name); err == nil { // an earlier run's: it is cheaper to make than to check
		err = s.migrateFile(ctx, s.dsn(name), schemas)
	}
	if err != nil {
		t.mu.Unlock()
		return nil, "", err
	}
	t.ready = true
	return t, name, nil
}

// templateOf gives the path of the template of schemas, and makes it at the first use.
func (s *sqliteStore) templateOf(ctx context.Context, schemas []Schema) (string, error) {
	t, name, err := s.lockTemplate(ctx, schemas)
	if err != nil {
		return "", err
	}
	t.mu.Unlock()
	return s.path(name), nil
}

// blank gives a world that holds nothing, to be read from by whoever wants one.
func (s *sqliteStore) blank(ctx context.Context, schemas []Schema) (*World, error) {
	t, name, err := s.lockTemplate(ctx, schemas)
	if err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	if t.world == nil {
		t.world, err = s.openFile(ctx, name, schemas, true)
	}
	return t.world, err
}

func (s *sqliteStore) closeTemplates() (err error) {
	s.templates.Lock()
	defer s.templates.Unlock()
	for _, t := range s.template {
		t.mu.Lock()
		if t.world != nil {
			err = errors.Join(err, t.world.Close())
			t.world = nil
		}
		t.mu.Unlock()
	}
	return err
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
