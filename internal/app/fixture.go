package app

import (
	"embed"
	"sync"

	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/yamldoc"
)

//go:embed fixtures/*.yaml
var fixtures embed.FS

// parsedFixtures holds the documents of fixtures that were asked for; a
// document is never changed, so all environments share it.
var parsedFixtures sync.Map // of name to *seeddoc.Node

// fixture returns the seed document of a bundled fixture.
func fixture(name string) (*seeddoc.Node, error) {
	if doc, ok := parsedFixtures.Load(name); ok {
		return doc.(*seeddoc.Node), nil
	}
	text, err := fixtures.ReadFile("fixtures/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	doc, err := yamldoc.Parse(text)
	if err == nil {
		parsedFixtures.Store(name, doc)
	}
	return doc, err
}
