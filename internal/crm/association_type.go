package crm

import (
	"encoding/json"
	"strconv"
	"understudy/internal/crm/schema"
)

// AssociationType is one direction of a type of link. Its inverse is the other
// direction.
type AssociationType struct {
	From, To      Type
	TypeID        int64
	InverseTypeID int64
	Label         *string // nil for the unlabeled type
	Name          string  // in v3 replies
	Unlabeled     bool
	Primary       bool
}

// AssociationSpec names a type in a request.
type AssociationSpec struct {
	Category string
	TypeID   int64
}

// HubspotDefined is the category of the standard types.
const HubspotDefined = "HUBSPOT_DEFINED"

var associationTypes, associationTypesByID = func() (list []*AssociationType, byID map[int64]*AssociationType) {
	text, err := defaults.ReadFile("defaults/association_types.json")
	if err != nil {
		panic(err)
	}
	var raw []struct {
		From, To              string
		TypeID, InverseTypeID int64
		Label                 *string
		Name                  string
		Unlabeled, Primary    bool
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		panic(err)
	}
	byID = map[int64]*AssociationType{}
	for _, r := range raw {
		a := &AssociationType{schema.TypesByName[r.From], schema.TypesByName[r.To], r.TypeID, r.InverseTypeID, r.Label, r.Name, r.Unlabeled, r.Primary}
		list = append(list, a)
		byID[a.TypeID] = a
	}
	return list, byID
}()

func associationType(id int64) *AssociationType { return associationTypesByID[id] }

// AssociationTypes lists the types from one object type to another.
func AssociationTypes(from, to Type) (out []*AssociationType) {
	for _, a := range associationTypes {
		if a.From == from && a.To == to {
			out = append(out, a)
		}
	}
	return out
}

// FindAssociationType returns the type between two object types with a name or
// number, as v3 requests have it. It returns InvalidRequest.
func FindAssociationType(from, to Type, name string) (*AssociationType, error) {
	for _, a := range AssociationTypes(from, to) {
		if a.Name == name || strconv.FormatInt(a.TypeID, 10) == name {
			return a, nil
		}
	}
	return nil, invalid("%s is not a valid association type between %s and %s", name, from, to)
}

// unlabeled returns the type that all links of two object types have.
func unlabeled(from, to Type) *AssociationType {
	for _, a := range AssociationTypes(from, to) {
		if a.Unlabeled {
			return a
		}
	}
	return nil
}

// checkSpecs returns the types that specs name. It returns InvalidRequest for an
// empty list and for a type that does not link these object types.
func checkSpecs(from, to Type, specs []AssociationSpec) ([]*AssociationType, error) {
	if len(specs) == 0 {
		return nil, invalid("One or more association types must be specified")
	}
	out := make([]*AssociationType, len(specs))
	for i, s := range specs {
		a := associationType(s.TypeID)
		if a == nil || a.From != from || a.To != to || s.Category != HubspotDefined {
			return nil, invalidAssociation(s)
		}
		out[i] = a
	}
	return out, nil
}

// invalidAssociation returns the error for a type that does not link two object
// types, in upstream's words.
func invalidAssociation(s AssociationSpec) error {
	return invalid("one or more associations are not valid").With(Details{Context: map[string][]string{
		"associationCategory": {s.Category}, "associationTypeId": {strconv.FormatInt(s.TypeID, 10)}}})
}
