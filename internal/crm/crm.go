// Package crm contains the rules and tables of the CRM: records of four object
// types with property bags, links between them, property definitions, pipelines,
// owners, and the portals (tenants) that they belong to.
//
// Every method has the caller's principal and sees only that principal's portal.
// HTTP, status codes and the upstream's envelopes are in package rest.
package crm

import (
	"embed"
	"io/fs"
	"log/slog"
	"strconv"

	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/cache"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Name is the service's name, also in tokens.
const Name = "crm"

// Schema returns the tables of the CRM.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: Name, Migrations: sub, Tables: map[string]store.Class{
		"crm_portal": store.WorldClass, "crm_sequence": store.WorldClass, "crm_user": store.WorldClass,
		"crm_record": store.WorldClass, "crm_tally": store.WorldClass, "crm_value": store.WorldClass,
		"crm_revision": store.WorldClass, "crm_association": store.WorldClass, "crm_property": store.WorldClass,
		"crm_group": store.WorldClass, "crm_pipeline": store.WorldClass, "crm_stage": store.WorldClass,
		"crm_audit": store.WorldClass, "crm_client": store.WorldClass, "crm_grant": store.RuntimeClass,
		"crm_fts": store.WorldClass, "crm_fts_word": store.WorldClass, "crm_fts_pending": store.WorldClass, "crm_fts_data": store.WorldClass,
		"crm_fts_idx": store.WorldClass, "crm_fts_vocab": store.WorldClass, "crm_fts_docsize": store.WorldClass, "crm_fts_config": store.WorldClass,
		"crm_posting": store.WorldClass, "crm_rank": store.WorldClass,
	}}
}

// Deps are the dependencies of the CRM.
type Deps struct {
	Clock   *clock.Clock
	IDs     *ids.Source
	Secrets *ids.Secrets
	Auth    *auth.Auth
	Bus     *bus.Bus // carries cache invalidations; nil for a single process with one service
	Log     *slog.Logger
}

// CRM is the CRM of one environment.
type CRM struct {
	world   *store.World
	clock   *clock.Clock
	ids     *ids.Source
	secrets *ids.Secrets
	auth    *auth.Auth

	definitions *cache.Rows[int64, *Definitions] // by portal
	index       *search.Index
}

// New binds the CRM to a world. Close ends its background work.
func New(w *store.World, d Deps) *CRM {
	c := &CRM{world: w, clock: d.Clock, ids: d.IDs, secrets: d.Secrets, auth: d.Auth,
		definitions: cache.NewRows[int64, *Definitions](d.Bus, "crm.definitions", maxDefinitions)}
	c.index = search.New(w, c.fieldsOf, func(err error) {
		d.Log.Error("records could not be added to the search index; the next change or search tries again", "error", err)
	})
	return c
}

// Close ends the background work and waits for it.
func (c *CRM) Close() { c.index.Close() }

// now returns the environment's time in microseconds, rounded down to the
// milliseconds that replies have.
func (c *CRM) now() int64 { return c.clock.Now().UnixMilli() * 1000 }

// portalOf returns the caller's portal.
func portalOf(p *auth.Principal) int64 {
	n, _ := strconv.ParseInt(p.Tenant, 10, 64)
	return n
}

// tenantOf returns the tenant of a portal in tokens.
func tenantOf(portal int64) string { return strconv.FormatInt(portal, 10) }

// userOf returns the id of the caller's user, 0 for none.
func userOf(p *auth.Principal) int64 {
	n, _ := strconv.ParseInt(p.Subject, 10, 64)
	return n
}
