package crm

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
)

// Group is a group of properties.
type Group struct {
	Name         string `json:"name"`
	Label        string `json:"label"`
	DisplayOrder int    `json:"displayOrder"`
	ArchivedAt   int64  `json:"-"`
}

// UpdateGroup is a change of a property group; nil leaves a member unchanged.
type UpdateGroup struct {
	Label        opt.Opt[string]
	DisplayOrder opt.Opt[int]
}

// group returns a group that is not archived, or nil.
func (d *Definitions) group(t Type, name string) *Group {
	for i := range d.types[t].groups {
		if g := &d.types[t].groups[i]; g.Name == name && g.ArchivedAt == 0 {
			return g
		}
	}
	return nil
}

// Groups lists the groups of a type.
func (d *Definitions) Groups(t Type) (out []Group) {
	for _, g := range d.types[t].groups {
		if g.ArchivedAt == 0 {
			out = append(out, g)
		}
	}
	return out
}

// FindGroup returns a group. It returns DefinitionNotFound.
func (d *Definitions) FindGroup(t Type, name string) (Group, error) {
	if g := d.group(t, name); g != nil {
		return *g, nil
	}
	return Group{}, DefinitionNotFound.Detailf("There is no property group named %q.", name)
}

// CreateGroup creates a group. It returns DefinitionExists and BadDefinition.
func (c *CRM) CreateGroup(ctx context.Context, p *auth.Principal, t Type, g Group) (Group, error) {
	if !propertyName.MatchString(g.Name) {
		return g, BadDefinition.Detailf("The group name %q must begin with a lower-case letter and contain only lower-case letters, digits and underscores.", g.Name)
	}
	if g.Label == "" {
		return g, BadDefinition.Detailf("A property group needs a label.")
	}
	return g, c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		if d.group(t, g.Name) != nil {
			return DefinitionExists.Detailf("A property group named '%s' already exists.", g.Name).
				With(Details{SubCategory: "Properties.GROUP_WITH_NAME_EXISTS"})
		}
		return saveGroup(tx, d.Portal.ID, t, g)
	})
}

// UpdateGroup changes a group. It returns DefinitionNotFound and BadDefinition.
func (c *CRM) UpdateGroup(ctx context.Context, p *auth.Principal, t Type, name string, in UpdateGroup) (out Group, err error) {
	err = c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		if out, err = d.FindGroup(t, name); err != nil {
			return err
		}
		out.Label, out.DisplayOrder = in.Label.Or(out.Label), in.DisplayOrder.Or(out.DisplayOrder)
		if out.Label == "" {
			return BadDefinition.Detailf("A property group needs a label.")
		}
		return saveGroup(tx, d.Portal.ID, t, out)
	})
	return out, err
}

// ArchiveGroup archives a group. It returns DefinitionNotFound, and BadDefinition
// while it contains active properties.
func (c *CRM) ArchiveGroup(ctx context.Context, p *auth.Principal, t Type, name string) error {
	return c.define(ctx, portalOf(p), func(tx *store.Tx, d *Definitions) error {
		g, err := d.FindGroup(t, name)
		if err != nil {
			return err
		}
		for _, prop := range d.Properties(t, false) {
			if prop.GroupName == name {
				return BadDefinition.Detailf("Can't delete or purge a group with active properties").
					With(Details{SubCategory: "PropertyGroupError.GROUP_WITH_ACTIVE_PROPERTIES"})
			}
		}
		g.ArchivedAt = c.now()
		return saveGroup(tx, d.Portal.ID, t, g)
	})
}
