package crm

import (
	"encoding/json"
	"strconv"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// Properties of a record's origin.
const (
	sourceOfRecord   = "hs_object_source"
	sourceIDOfRecord = "hs_object_source_id"
)

// followsRecords reports whether a field is derived from associations, of which a
// diff shows the changed ones, or names the origin of a record.
func followsRecords(field string) bool {
	name, ok := strings.CutPrefix(field, propertyPrefix)
	return ok && (name == sourceOfRecord || name == sourceIDOfRecord || rolledUp[name] && name != companyOfContact && name != parentOfCompany)
}

// computedProperty returns a function that computes a property that replies have
// and records do not store; nil for a stored one.
func computedProperty(tx *store.Tx, sort, field string) (func(map[string]any) any, error) {
	name, ok := strings.CutPrefix(field, propertyPrefix)
	t, err := ParseType(sort)
	if !ok || err != nil || tx == nil {
		return nil, nil
	}
	p := standardTypes()[t].standard[name]
	if p == nil {
		if p, err = ownProperty(tx, t, name); err != nil {
			return nil, err
		}
	}
	if p == nil || p.Column() == "" && !p.IsDerived() && p.Alias == "" {
		return nil, nil
	}
	return func(fields map[string]any) any {
		if v := recordOf(t, fields).Value(p); v != "" {
			return v
		}
		return nil
	}, nil
}

// ownProperty returns a property that a portal has defined, with its formula; nil
// for none.
func ownProperty(tx *store.Tx, t Type, name string) (*Property, error) {
	portal, err := portalDefining(tx, t, name)
	if err != nil || portal == 0 {
		return nil, err
	}
	d, err := loadDefinitions(tx, portal)
	if err != nil {
		return nil, err
	}
	return d.Property(t, name), nil
}

// recordOf returns a record with the fields that a diff has.
func recordOf(t Type, fields map[string]any) *schema.Record {
	text := func(name string) string {
		switch v := fields[name].(type) {
		case string:
			return v
		case json.RawMessage:
			var s string
			_ = json.Unmarshal(v, &s)
			return s
		}
		return ""
	}
	micros := func(name string) int64 {
		at, _ := schema.ParseTime(text(name))
		return at.UnixMicro()
	}
	r := &schema.Record{Type: t, Created: micros("createdAt"), Updated: micros("updatedAt"),
		Source: text(propertyPrefix + sourceOfRecord), SourceID: text(propertyPrefix + sourceIDOfRecord)}
	r.ID, _ = strconv.ParseInt(text("id"), 10, 64)
	bag := map[string]string{}
	for f := range fields {
		if name, ok := strings.CutPrefix(f, propertyPrefix); ok {
			bag[name] = text(f)
		}
	}
	r.Bag = schema.EncodeBag(bag)
	return r
}
