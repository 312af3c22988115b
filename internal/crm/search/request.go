package search

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/crm/schema"
)

const (
	maxGroups       = 5
	maxGroupFilters = 6
	maxFilters      = 18
	maxQuery        = 3_000
	maxValues       = 100
	// MaxLimit is the largest page of a search.
	MaxLimit = 200
	// Window is how many matches a search can page through.
	Window = 10_000
)

// Request describes a search: the records that pass all filters of one of the
// groups and contain the words of the query.
type Request struct {
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

// Page is a page of a search. Total counts all matches.
type Page struct {
	Total   int
	Records []*schema.Record
	Next    int // offset of the next page, 0 on the last
}

// check returns InvalidRequest or InvalidProperties for an invalid request.
func (in Request) check(f *Fields) error {
	if in.Limit < 0 || in.Limit > MaxLimit {
		return schema.Invalid("Invalid limit %d: it must be a number from 0 to %d", in.Limit, MaxLimit)
	}
	if in.Offset < 0 || in.Offset > Window-in.Limit {
		return schema.Invalid("The search can be paged to %d results only; after + limit is more.", Window)
	}
	if utf8.RuneCountInString(in.Query) > maxQuery {
		return schema.Invalid("The query can have a maximum of %d characters.", maxQuery)
	}
	if len(in.Groups) > maxGroups {
		return schema.Invalid("A search can have at most %d filterGroups; this one has %d.", maxGroups, len(in.Groups))
	}
	total := 0
	for _, g := range in.Groups {
		if total += len(g); len(g) > maxGroupFilters {
			return schema.Invalid("A filter group can have at most %d filters; this one has %d.", maxGroupFilters, len(g))
		}
	}
	if total > maxFilters {
		return schema.Invalid("A search can have at most %d filters; this one has %d.", maxFilters, total)
	}
	if len(in.Sorts) > 1 {
		return schema.Invalid("A search can have one sort; this one has %d.", len(in.Sorts))
	}
	for _, s := range in.Sorts {
		if f.live(s.Property) == nil {
			return schema.UnknownProperty(s.Property)
		}
	}
	return nil
}

// ParseSort parses a sort: a name, "-" and a name, or the JSON text of an object
// with propertyName and direction.
func ParseSort(text string) (Sort, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var o struct{ PropertyName, Direction string }
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return Sort{}, schema.Invalid("A sort is not valid JSON: %s", text)
		}
		return NewSort(o.PropertyName, o.Direction)
	}
	name, descending := strings.CutPrefix(text, "-")
	if name == "" {
		return Sort{}, schema.Invalid("A sort needs a propertyName.")
	}
	return Sort{name, descending}, nil
}

// NewSort returns a sort by a property. The direction is ASCENDING, the default,
// or DESCENDING.
func NewSort(name, direction string) (Sort, error) {
	direction = strings.ToUpper(direction)
	if name == "" {
		return Sort{}, schema.Invalid("A sort needs a propertyName.")
	}
	if !slices.Contains([]string{"", "ASCENDING", "DESCENDING", "ASC", "DESC"}, direction) {
		return Sort{}, schema.Invalid("The direction of a sort must be ASCENDING or DESCENDING, not %s", direction)
	}
	return Sort{name, strings.HasPrefix(direction, "DESC")}, nil
}
