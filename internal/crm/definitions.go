package crm

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// firstOwnNumber is above the numbers of all standard properties.
const firstOwnNumber = 10_000

// Definitions are one version of a portal's definitions. They are shared between
// requests and immutable.
type Definitions struct {
	Portal  Portal
	Version int64
	types   [Tickets + 1]*typeDefinitions // by type
	owners  []Owner                       // by id
}

// typeDefinitions are the definitions of one object type. Portals that have not
// changed them share one value, and the others share the parts that they have not
// changed.
type typeDefinitions struct {
	shared     bool                 // unchanged: pipelines and stages have the portal's age instead of their own times
	standard   map[string]*Property // the standard properties, by name
	own        map[string]*Property // properties that the portal added or changed, by name
	properties []*Property          // sorted, including archived ones
	searchable []*Property
	groups     []Group
	pipelines  []*Pipeline // by display order
	stages     map[string]*Stage
}

// property returns a property, archived or not, or nil. A standard one has 0 for
// the time at which the portal was created.
func (td *typeDefinitions) property(name string) *Property {
	if p := td.own[name]; p != nil {
		return p
	}
	return td.standard[name]
}

// set replaces or adds the property with p's name.
func (td *typeDefinitions) set(p *Property) {
	if td.own == nil {
		td.own = map[string]*Property{}
	}
	td.own[p.Name] = p
}

// Property returns a property that is not archived, or nil. Its times may be
// missing; FindProperty sets them.
func (d *Definitions) Property(t Type, name string) *Property {
	if p := d.types[t].property(name); p != nil && p.ArchivedAt == 0 {
		return p
	}
	return nil
}

// Returned names the properties that a read returns by default.
func (d *Definitions) Returned(t Type) []string { return standard().Returned[t.String()] }

// isOwner reports whether id, in its normal form, is that of an active owner.
func (d *Definitions) isOwner(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != id {
		return false
	}
	i, found := slices.BinarySearchFunc(d.owners, n, func(o Owner, id int64) int { return cmp.Compare(o.ID, id) })
	return found && d.owners[i].Archived == 0
}

// maxDefinitions is the most portals whose definitions are cached.
const maxDefinitions = 4096

// Definitions returns the definitions of the caller's portal.
func (c *CRM) Definitions(ctx context.Context, p *auth.Principal) (*Definitions, error) {
	return c.definitionsOf(ctx, portalOf(p))
}

func (c *CRM) definitionsOf(ctx context.Context, portal int64) (*Definitions, error) {
	d, known, epoch := c.definitions.Get(portal)
	if known {
		return d, nil
	}
	err := c.world.Read(ctx, func(tx *store.Tx) (err error) {
		d, err = loadDefinitions(tx, portal)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.definitions.Put(portal, d, epoch)
	return d, nil
}

// define runs a change of definitions under the portal's lock and drops the
// cached definitions after the commit. fn receives the definitions of the
// transaction.
func (c *CRM) define(ctx context.Context, portal int64, fn func(tx *store.Tx, d *Definitions) error) error {
	return c.world.Write(ctx, func(tx *store.Tx) error {
		if err := raiseVersion(tx, portal); err != nil {
			return err
		}
		d, err := loadToChange(tx, portal)
		if err != nil {
			return err
		}
		tx.AfterCommit(func() { c.definitions.Drop(portal) })
		return fn(tx, d)
	})
}

// storedDefinitions are the stored definitions of a portal.
type storedDefinitions struct {
	properties map[Type][]*Property // added and changed ones
	groups     map[Type][]Group     // likewise
	pipelines  map[Type][]*Pipeline // all
}

// loadDefinitions returns read-only definitions, which share the standard ones
// with other portals.
func loadDefinitions(tx *store.Tx, portal int64) (*Definitions, error) {
	d, s, err := readDefinitions(tx, portal)
	if err != nil {
		return nil, err
	}
	for _, t := range Types {
		d.types[t] = standardTypes()[t]
		if !s.isStandard(t, d.Portal.Created) {
			d.types[t] = d.types[t].arrange(t, s.properties[t], s.groups[t], s.pipelines[t])
		}
	}
	return d, nil
}

// loadToChange returns definitions that a transaction may modify. Only the
// properties themselves are shared.
func loadToChange(tx *store.Tx, portal int64) (*Definitions, error) {
	d, s, err := readDefinitions(tx, portal)
	if err != nil {
		return nil, err
	}
	for _, t := range Types {
		d.types[t] = standardTypes()[t].arrange(t, s.properties[t], s.groups[t], s.pipelines[t])
	}
	return d, nil
}

// arrange returns the definitions of a type, built from the standard ones in td,
// which remain unchanged, and a portal's own.
func (td *typeDefinitions) arrange(t Type, own []*Property, groups []Group, pipelines []*Pipeline) *typeDefinitions {
	out := &typeDefinitions{standard: td.standard, properties: slices.Clone(td.properties), searchable: td.searchable,
		groups: td.groups, pipelines: pipelines, stages: map[string]*Stage{}}
	if len(groups) > 0 {
		out.groups = slices.DeleteFunc(slices.Clone(td.groups), func(g Group) bool {
			return slices.ContainsFunc(groups, func(o Group) bool { return o.Name == g.Name })
		})
		out.groups = append(out.groups, groups...)
	}
	slices.SortStableFunc(pipelines, func(a, b *Pipeline) int { return a.DisplayOrder - b.DisplayOrder })
	for _, pl := range pipelines {
		slices.SortStableFunc(pl.Stages, func(a, b *Stage) int { return a.DisplayOrder - b.DisplayOrder })
		for _, s := range pl.Stages {
			out.stages[s.ID] = s
		}
	}
	if pipeline, stage := t.StageNames(); pipeline != "" {
		out.add(withOptions(td.standard[pipeline], pipelineOptions(pipelines)))
		out.add(withOptions(td.standard[stage], stageOptions(pipelines)))
	}
	for _, p := range own {
		out.add(p)
	}
	out.addStageDates(t)
	if len(out.own) > 0 {
		out.searchable = slices.Clone(td.searchable)
		for i, p := range out.searchable {
			out.searchable[i] = out.property(p.Name)
		}
	}
	return out
}

// add adds a property, or replaces the one with its name.
func (td *typeDefinitions) add(p *Property) {
	td.computing(p)
	if old := td.property(p.Name); old != nil {
		td.properties[slices.Index(td.properties, old)] = p
	} else {
		td.properties = append(td.properties, p)
	}
	td.set(p)
}

// withOptions returns a copy of a property with the options for the portal's
// pipelines.
func withOptions(p *Property, o []Option) *Property {
	out := *p
	out.Options = o
	return &out
}

func pipelineOptions(pipelines []*Pipeline) []Option {
	out := make([]Option, len(pipelines))
	for i, p := range pipelines {
		out[i] = Option{Label: p.Label, Value: p.ID, DisplayOrder: i}
	}
	return out
}

func stageOptions(pipelines []*Pipeline) []Option {
	out := []Option{}
	for _, p := range pipelines {
		for _, s := range p.Stages {
			out = append(out, Option{Label: s.Label + " (" + p.Label + ")", Value: s.ID, DisplayOrder: len(out)})
		}
	}
	return out
}
