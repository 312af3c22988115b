package crm

import (
	"fmt"
	"strconv"
	"strings"

	"understudy/internal/platform/diff"
)

// Entities declares the CRM's entities for diffs. Archived things count as
// deleted, since reads do not return them by default.
func Entities() []diff.Entity {
	return append(recordEntities(), definitionEntities()...)
}

func archived(r diff.Row) bool { return r.Int("archived") != 0 }

var (
	oneForEachToken = diff.Out("one for each token")
	createdAt       = diff.As("createdAt", diff.ISO)
	updatedAt       = diff.As("updatedAt", diff.ISO).Derived()
	whetherGone     = diff.Used("marks what is gone")
	typeOf          = diff.Used("names the sort of record")
)

func recordEntities() []diff.Entity {
	return []diff.Entity{
		{Name: "record", Table: "crm_record", Key: []string{"portal", "type", "id"}, Gone: archived,
			History: &diff.History{Table: "crm_revision", Owner: []string{"portal", "record"}, Of: []string{"portal", "id"}, Names: "before"},
			NameOf:  func(r diff.Row) string { return Type(r.Int("type")).Singular() }, Sorts: recordSorts(),
			KeyOf: func(r diff.Row) string { return strconv.FormatInt(r.Int("id"), 10) }, KeyForm: "id",
			MoreOf: standardFields, HasField: hasProperty, IsDerived: isDerived, Follows: followsRecords, Computed: computedProperty, Lookup: &diff.Lookup{Find: findRecords},
			Columns: map[string]diff.Column{
				"portal": oneForEachToken, "type": typeOf, "id": diff.As("id", diff.IntText), "created": createdAt, "updated": updatedAt,
				"archived": whetherGone, "merged": diff.Out("such a record is archived"), "properties": diff.Members("properties."),
				"source": diff.Used("a property of whole records"), "source_id": diff.Used("a property of whole records"),
			},
			Add: func(r diff.Row, f map[string]any) {
				f[propertyPrefix+sourceOfRecord], f[propertyPrefix+sourceIDOfRecord] = r.Text("source"), r.Text("source_id")
			}},
		{Name: "association", Table: "crm_association", NoRowID: true,
			Key:     []string{"portal", "from_record", "to_type", "to_record", "type_id"},
			KeyForm: "from type/fromObjectId/to type/toObjectId/associationTypeId", More: []diff.Field{diff.F("associationCategory", "text"), diff.F("label", "text")},
			Consequences: associationConsequences(),
			KeyOf: func(r diff.Row) string {
				return fmt.Sprintf("%s/%d/%s/%d/%d", Type(r.Int("from_type")), r.Int("from_record"), Type(r.Int("to_type")), r.Int("to_record"), r.Int("type_id"))
			},
			Columns: map[string]diff.Column{
				"portal": oneForEachToken, "from_record": diff.As("fromObjectId", diff.IntText).Refers("crm.record"), "to_record": diff.As("toObjectId", diff.IntText).Refers("crm.record"),
				"from_type": diff.As("fromObjectTypeId", typeID).Plain("0-1, 0-2, 0-3 or 0-5"), "to_type": diff.As("toObjectTypeId", typeID).Plain("likewise"),
				"type_id": diff.As("associationTypeId", diff.Int).Plain("a number of the upstream"),
			},
			Add: func(r diff.Row, f map[string]any) {
				f["associationCategory"] = HubspotDefined
				if a := associationType(r.Int("type_id")); a != nil {
					f["label"] = a.Label
				}
			}},
		{Name: "owner", Table: "crm_user", Key: []string{"portal", "id"}, Gone: archived,
			KeyOf: func(r diff.Row) string { return strconv.FormatInt(r.Int("owner"), 10) }, KeyForm: "id",
			Lookup: &diff.Lookup{Value: "owner", By: []diff.Name{{Column: "owner"}, {Column: "email", Fold: true}}, Where: "archived = 0"},
			Columns: map[string]diff.Column{
				"portal": oneForEachToken, "id": diff.As("userId", diff.Int).Plain("its own id as a user"), "owner": diff.As("id", diff.IntText), "email": diff.As("email", diff.Text),
				"first_name": diff.As("firstName", diff.Text), "last_name": diff.As("lastName", diff.Text), "created": createdAt, "updated": updatedAt,
				"archived": whetherGone, "account": diff.Out("accounts are entities of their own"),
			}},
	}
}

var typeID = diff.Shown("text", func(raw any) any { n, _ := raw.(int64); return Type(n).ID() })

// inType returns keys of definitions, which are unique only within an object
// type.
func inType(columns ...string) func(diff.Row) string {
	return func(r diff.Row) string {
		parts := []string{Type(r.Int("type")).String()}
		for _, c := range columns {
			parts = append(parts, r.Text(c))
		}
		return strings.Join(parts, "/")
	}
}

func definitionEntities() []diff.Entity {
	order := diff.As("displayOrder", diff.Int)
	typeField := []diff.Field{diff.F("objectTypeId", "text").Is("0-1, 0-2, 0-3 or 0-5")}
	objectType := func(r diff.Row, f map[string]any) { f["objectTypeId"] = Type(r.Int("type")).ID() }
	return []diff.Entity{
		{Name: "portal", Table: "crm_portal", Key: []string{"id"}, Columns: map[string]diff.Column{
			"id": diff.As("portalId", diff.Int).Plain("its own id"), "name": diff.As("name", diff.Text), "tier": diff.As("tier", diff.Text),
			"currency": diff.As("companyCurrency", diff.Text), "version": diff.Out("for caches"), "created": diff.Out("not on the wire"),
		}},
		{Name: "property", Table: "crm_property", Key: []string{"portal", "type", "name"}, KeyOf: inType("name"), KeyForm: "type/name", Gone: archived,
			Add: objectType, More: append(propertyFields(), typeField...), Columns: map[string]diff.Column{
				"portal": oneForEachToken, "type": typeOf, "name": diff.As("name", diff.Text), "definition": diff.Members(""),
				"number": diff.Out("names the property in the tables"), "created": createdAt, "updated": updatedAt, "archived": whetherGone,
			}},
		{Name: "propertyGroup", Table: "crm_group", Key: []string{"portal", "type", "name"}, KeyOf: inType("name"), KeyForm: "type/name", Gone: archived, More: typeField,
			Missing: standardGroup, Add: objectType, Columns: map[string]diff.Column{
				"portal": oneForEachToken, "type": typeOf, "name": diff.As("name", diff.Text), "label": diff.As("label", diff.Text),
				"display_order": order, "archived": whetherGone,
			}},
		{Name: "pipeline", Table: "crm_pipeline", Key: []string{"portal", "type", "id"}, KeyOf: inType("id"), KeyForm: "type/id", Gone: archived,
			Lookup: &diff.Lookup{Value: "id", By: []diff.Name{{Column: "id"}, {Column: "label"}}, Several: true, Where: "archived = 0"},
			Add:    objectType, More: typeField, Columns: map[string]diff.Column{
				"portal": oneForEachToken, "type": typeOf, "id": diff.As("id", diff.Text), "label": diff.As("label", diff.Text),
				"display_order": order, "created": createdAt, "updated": updatedAt, "archived": whetherGone,
			}},
		{Name: "stage", Table: "crm_stage", Key: []string{"portal", "type", "id"}, KeyOf: inType("pipeline", "id"), KeyForm: "type/pipelineId/id", Gone: archived,
			Lookup:       &diff.Lookup{Value: "id", By: []diff.Name{{Column: "id"}, {Column: "label"}}, Several: true, Where: "archived = 0"},
			Consequences: []diff.Consequence{{Of: "crm.pipeline", When: "the pipeline was created or archived", Holds: withPipeline}},
			Add:          objectType, More: typeField, Columns: map[string]diff.Column{
				"portal": oneForEachToken, "type": typeOf, "id": diff.As("id", diff.Text), "pipeline": diff.As("pipelineId", diff.Text).Refers("crm.pipeline"),
				"label": diff.As("label", diff.Text), "display_order": order, "metadata": diff.As("metadata", diff.JSON),
				"created": createdAt, "updated": updatedAt, "archived": whetherGone,
			}},
		{Name: "client", Table: "crm_client", Key: []string{"id"}, Columns: map[string]diff.Column{
			"id": diff.As("clientId", diff.Text).Plain("its own id"), "portal": oneForEachToken, "app": diff.As("appId", diff.Int).Plain("a number of the upstream"), "name": diff.As("name", diff.Text),
			"secret_hash": diff.Out("of a secret"), "redirect_uris": diff.As("redirectUris", diff.JSON),
		}},
	}
}

// standardGroup returns a standard group that has no row yet: its first change
// creates one.
func standardGroup(r diff.Row) map[string]any {
	t := Type(r.Int("type"))
	for _, g := range standard().Groups[t.String()] {
		if g.Name == r.Text("name") {
			return map[string]any{"name": g.Name, "label": g.Label, "displayOrder": g.DisplayOrder, "objectTypeId": t.ID()}
		}
	}
	return nil
}
