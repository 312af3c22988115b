// Package program stores the data of the program that belongs to no environment:
// how often its admin key was rotated, the audit log of changes of credentials
// and environments, and the verdicts of runs, which outlive the environments of
// the runs.
package program

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"

	"understudy/internal/platform/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

func schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "program", Migrations: sub, Tables: map[string]store.Class{
		"program_key": store.RuntimeClass, "program_audit": store.RuntimeClass,
		"program_verdict": store.RuntimeClass, "program_verdict_detail": store.RuntimeClass}}
}

// Program is the program's own database.
type Program struct {
	world *store.World
	log   *slog.Logger
}

// Open opens the database; log receives a line for each entry of the audit log.
func Open(ctx context.Context, s store.Store, log *slog.Logger) (*Program, error) {
	w, err := s.Open(ctx, "program", []store.Schema{schema()})
	if err != nil {
		return nil, err
	}
	return &Program{world: w, log: log}, nil
}

// Close closes the database.
func (p *Program) Close() error { return p.world.Close() }
