package crm

import (
	"context"
	"embed"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

//go:embed defaults/*.json
var defaults embed.FS

// standard is what every portal begins with. It is read once and never changed.
var standard = func() (s struct {
	Returned   map[string][]string    `json:"returned"`
	Searchable map[string][]string    `json:"searchable"`
	Groups     map[string][]Group     `json:"groups"`
	Pipelines  map[string][]Pipeline  `json:"pipelines"`
	Properties map[string][]*Property `json:"properties"`
}) {
	text, err := defaults.ReadFile("defaults/definitions.json")
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		panic(err)
	}
	for name, list := range s.Properties {
		t := typesByName[name]
		for i, p := range list {
			// The number names the property in the value table for ever:
			// new standard properties go to the end of their list.
			p.object, p.number = t, int64(t)*1000+int64(i)
			if p.Options == nil {
				p.Options = []Option{}
			}
		}
	}
	return s
}()

// firstOwnNumber is above the numbers of standard properties.
const firstOwnNumber = 10_000

// Definitions are what a portal's records are checked against, at one version.
// They are shared between requests and never changed.
type Definitions struct {
	Portal   Portal
	Version  int64
	types    map[Type]*typeDefinitions
	owners   []Owner
	ownerIDs map[string]bool
}

type typeDefinitions struct {
	properties []*Property // in order, archived ones too
	byName     map[string]*Property
	groups     []Group
	pipelines  []*Pipeline // by display order
	stages     map[string]*Stage
	searchable []*Property
}

// Property gives a property that is not archived, or nil.
func (d *Definitions) Property(t Type, name string) *Property {
	if p := d.types[t].byName[name]; p != nil && p.ArchivedAt == 0 {
		return p
	}
	return nil
}

// Returned names the properties that a read gives when none are asked for.
func (d *Definitions) Returned(t Type) []string { return standard.Returned[t.String()] }

func (d *Definitions) isOwner(id string) bool { return d.ownerIDs[id] }

// definitionsCache holds the newest definitions of each portal.
type definitionsCache struct {
	mu      sync.RWMutex
	portals map[int64]*Definitions
	epoch   uint64
}

func (c *definitionsCache) get(portal int64) (d *Definitions, epoch uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.portals[portal], c.epoch
}

// put keeps d unless something was dropped since epoch, when d may be out of date.
func (c *definitionsCache) put(d *Definitions, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return
	}
	if c.portals == nil {
		c.portals = map[int64]*Definitions{}
	}
	if have := c.portals[d.Portal.ID]; have == nil || have.Version < d.Version {
		c.portals[d.Portal.ID] = d
	}
}

func (c *definitionsCache) drop(portal int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.portals, portal)
	c.epoch++
}

// Definitions gives the definitions of the caller's portal.
func (c *CRM) Definitions(ctx context.Context, p *auth.Principal) (*Definitions, error) {
	return c.definitionsOf(ctx, portalOf(p))
}

func (c *CRM) definitionsOf(ctx context.Context, portal int64) (*Definitions, error) {
	d, epoch := c.definitions.get(portal)
	if d != nil {
		return d, nil
	}
	err := c.world.Read(ctx, func(tx *store.Tx) (err error) {
		d, err = loadDefinitions(tx, portal)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.definitions.put(d, epoch)
	return d, nil
}

// define runs a change of definitions under the portal's lock and has the
// cache see it. fn gets the definitions as they are in the transaction.
func (c *CRM) define(ctx context.Context, portal int64, fn func(tx *store.Tx, d *Definitions) error) error {
	return c.world.Write(ctx, func(tx *store.Tx) error {
		if err := raiseVersion(tx, portal); err != nil {
			return err
		}
		d, err := loadDefinitions(tx, portal)
		if err != nil {
			return err
		}
		tx.AfterCommit(func() { c.definitions.drop(portal) })
		return fn(tx, d)
	})
}

// arrange puts what was loaded into the form that lookups need.
func (d *Definitions) arrange(own map[Type][]*Property, groups map[Type][]Group, pipelines map[Type][]*Pipeline) {
	d.ownerIDs = map[string]bool{}
	for _, o := range d.owners {
		if o.Archived == 0 {
			d.ownerIDs[strconv.FormatInt(o.ID, 10)] = true
		}
	}
	d.types = map[Type]*typeDefinitions{}
	for _, t := range Types {
		td := &typeDefinitions{byName: map[string]*Property{}, stages: map[string]*Stage{}, pipelines: pipelines[t]}
		for _, g := range standard.Groups[t.String()] {
			if !slices.ContainsFunc(groups[t], func(o Group) bool { return o.Name == g.Name }) {
				td.groups = append(td.groups, g)
			}
		}
		td.groups = append(td.groups, groups[t]...)
		slices.SortStableFunc(td.pipelines, func(a, b *Pipeline) int { return a.DisplayOrder - b.DisplayOrder })
		for _, pl := range td.pipelines {
			slices.SortStableFunc(pl.Stages, func(a, b *Stage) int { return a.DisplayOrder - b.DisplayOrder })
			for _, s := range pl.Stages {
				td.stages[s.ID] = s
			}
		}
		for _, p := range standard.Properties[t.String()] {
			if p.CreatedAt == 0 {
				copied := *p
				copied.CreatedAt, copied.UpdatedAt = d.Portal.Created, d.Portal.Created
				p = &copied
			}
			td.add(d.withOptions(t, td, p))
		}
		for _, p := range own[t] {
			td.add(p)
		}
		for _, name := range standard.Searchable[t.String()] {
			if p := td.byName[name]; p != nil {
				td.searchable = append(td.searchable, p)
			}
		}
		d.types[t] = td
	}
}

// add puts a property in, in the place of a standard one with its name.
func (td *typeDefinitions) add(p *Property) {
	if old := td.byName[p.Name]; old != nil {
		td.properties[slices.Index(td.properties, old)] = p
	} else {
		td.properties = append(td.properties, p)
	}
	td.byName[p.Name] = p
}

// withOptions fills in the options that are the portal's pipelines and stages.
func (d *Definitions) withOptions(t Type, td *typeDefinitions, p *Property) *Property {
	pipeline, stage := t.stageNames()
	if pipeline == "" || p.Name != pipeline && p.Name != stage {
		return p
	}
	p.Options = []Option{}
	for _, pl := range td.pipelines {
		if p.Name == pipeline {
			p.Options = append(p.Options, Option{Label: pl.Label, Value: pl.ID, DisplayOrder: len(p.Options)})
			continue
		}
		for _, s := range pl.Stages {
			p.Options = append(p.Options, Option{Label: s.Label + " (" + pl.Label + ")", Value: s.ID, DisplayOrder: len(p.Options)})
		}
	}
	return p
}
