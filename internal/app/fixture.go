package app

import (
	"embed"
	"path"
	"sync"

	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/yamldoc"
)

// fixtures contains a directory of seed documents for each bundled fixture. They
// are applied in the order of their names.
//
//go:embed fixtures
var fixtures embed.FS

// parsedFixtures caches the documents of fixtures; documents are immutable, so
// all environments share them.
var parsedFixtures sync.Map // []*seeddoc.Node by name

// fixture returns the seed documents of a bundled fixture.
func fixture(name string) ([]*seeddoc.Node, error) {
	if docs, ok := parsedFixtures.Load(name); ok {
		return docs.([]*seeddoc.Node), nil
	}
	folder := path.Join("fixtures", name)
	entries, err := fixtures.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var docs []*seeddoc.Node
	for _, e := range entries {
		text, err := fixtures.ReadFile(path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		doc, err := yamldoc.Parse(text)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	parsedFixtures.Store(name, docs)
	return docs, nil
}
