package crm

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

const (
	maxGroups       = 5
	maxGroupFilters = 6
	maxFilters      = 18
	maxQuery        = 3_000
	maxValues       = 100
	// MaxSearchLimit is the largest page of a search.
	MaxSearchLimit = 200
	// SearchWindow is how far a search can be paged, and how far it counts.
	SearchWindow = 10_000
)

// Search says which records are wanted: those that pass all filters of one of
// the groups, and the query.
type Search struct {
	Groups []FilterGroup
	Query  string
	Sorts  []Sort
	Offset int
	Limit  int
}

// FilterGroup is a list of filters that must all hold.
type FilterGroup []Filter

// Filter compares a property with values.
type Filter struct {
	Property  string
	Operator  string
	Value     *string
	HighValue *string
	Values    []string
}

// Sort orders by a property; records without a value come last.
type Sort struct {
	Property   string
	Descending bool
}

// Found is a page of a search. Total counts all matches: exactly up to
// SearchWindow and where an index can tell, and never less than what pages show.
type Found struct {
	Total   int
	Records []*Record
	Next    int // offset of the next page, 0 when this is the last
}

// Search finds live records, as of everything that is committed. It returns
// InvalidRequest and InvalidProperties for a search that breaks a rule.
func (c *CRM) Search(ctx context.Context, p *auth.Principal, t Type, in Search) (out Found, err error) {
	d, err := c.Definitions(ctx, p)
	if err != nil {
		return out, err
	}
	if err := d.checkSearch(t, in); err != nil {
		return out, err
	}
	pl, err := d.compile(t, in)
	if err != nil {
		return out, err
	}
	pl.gather, pl.sampleMany = c.gather, c.sampleMany
	if pl.needsWords() {
		if err := c.catchUpWords(ctx); err != nil {
			return out, err
		}
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		if err := pl.loadLinks(tx); err != nil {
			return err
		}
		out, err = pl.run(tx)
		return err
	})
	return out, err
}

func (d *Definitions) checkSearch(t Type, in Search) error {
	if in.Limit < 0 || in.Limit > MaxSearchLimit {
		return invalid("Invalid limit %d: it must be a number from 0 to %d", in.Limit, MaxSearchLimit)
	}
	if in.Offset < 0 || in.Offset > SearchWindow-in.Limit {
		return invalid("The search can be paged to %d results only; after + limit is more.", SearchWindow)
	}
	if utf8.RuneCountInString(in.Query) > maxQuery {
		return invalid("The query can have a maximum of %d characters.", maxQuery)
	}
	if len(in.Groups) > maxGroups {
		return invalid("A search can have at most %d filterGroups; this one has %d.", maxGroups, len(in.Groups))
	}
	total := 0
	for _, g := range in.Groups {
		if total += len(g); len(g) > maxGroupFilters {
			return invalid("A filter group can have at most %d filters; this one has %d.", maxGroupFilters, len(g))
		}
	}
	if total > maxFilters {
		return invalid("A search can have at most %d filters; this one has %d.", maxFilters, total)
	}
	if len(in.Sorts) > 1 {
		return invalid("A search can have one sort; this one has %d.", len(in.Sorts))
	}
	for _, s := range in.Sorts {
		if d.Property(t, s.Property) == nil {
			return unknownProperty(s.Property)
		}
	}
	return nil
}

func unknownProperty(name string) *fault.Error {
	return InvalidProperties.Detailf("Property %q does not exist", name).
		With(ValidationProblems{{name, "PROPERTY_DOESNT_EXIST", "Property " + strconv.Quote(name) + " does not exist"}})
}

// ParseSort reads a sort as clients write it: a name, "-" and a name, or the
// JSON text of an object with propertyName and direction.
func ParseSort(text string) (Sort, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var o struct{ PropertyName, Direction string }
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return Sort{}, invalid("A sort is not valid JSON: %s", text)
		}
		return NewSort(o.PropertyName, o.Direction)
	}
	name, descending := strings.CutPrefix(text, "-")
	if name == "" {
		return Sort{}, invalid("A sort needs a propertyName.")
	}
	return Sort{name, descending}, nil
}

// NewSort makes a sort of a name and ASCENDING or DESCENDING; no direction is ascending.
func NewSort(name, direction string) (Sort, error) {
	direction = strings.ToUpper(direction)
	if name == "" {
		return Sort{}, invalid("A sort needs a propertyName.")
	}
	if !slices.Contains([]string{"", "ASCENDING", "DESCENDING", "ASC", "DESC"}, direction) {
		return Sort{}, invalid("The direction of a sort must be ASCENDING or DESCENDING, not %s", direction)
	}
	return Sort{name, strings.HasPrefix(direction, "DESC")}, nil
}
