package graph

import (
	"slices"
	"sync"

	"understudy/internal/tracker"
)

// mostOperations is the most fields of a document that recordings list.
const mostOperations = 100

// operationLists holds the lists of operations of documents with one field, by
// that field: most documents have only one.
var operationLists = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	schema := shared().Schema()
	for _, field := range slices.Concat(schema.Query.Fields, schema.Mutation.Fields) {
		lists[field.Name] = []string{tracker.Service + "." + field.Name}
	}
	lists["__typename"] = []string{tracker.Service + ".__typename"} // a field of every type, in no schema
	return lists
})

// operations returns the names by which recordings name the root fields of a
// document, such as tracker.issueCreate.
func operations(fields []string) []string {
	known := operationLists()
	if len(fields) == 1 {
		if one := known[fields[0]]; one != nil {
			return one
		}
	}
	names := make([]string, min(len(fields), mostOperations))
	for i := range names {
		if one := known[fields[i]]; one != nil {
			names[i] = one[0]
		} else {
			names[i] = tracker.Service + "." + fields[i]
		}
	}
	return names
}

// OperationNames returns the names of the root fields of all documents.
func OperationNames() (names []string) {
	for _, list := range operationLists() {
		names = append(names, list...)
	}
	return names
}
