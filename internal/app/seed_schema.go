package app

import (
	crm "understudy/internal/crm/seed"
	ingest "understudy/internal/ingest/seed"
	messaging "understudy/internal/messaging/seed"
	"understudy/internal/platform/seeddoc"
	tracker "understudy/internal/tracker/seed"
)

// SeedSchema returns the JSON schema of seed documents.
func SeedSchema() map[string]any {
	return seeddoc.Schema("Understudy seed document", "What an environment is to hold; docs/seed-documents.md explains it.", map[string]any{
		"messaging": messaging.Document{}, "crm": crm.Document{}, "tracker": tracker.Document{}, "ingest": ingest.Document{}})
}
