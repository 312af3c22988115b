package console

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/strict"
)

// badQuery rejects a query that cannot be parsed completely.
var badQuery = environment.BadValue.At("query").Detailf("must consist of names and values, joined by & and percent-encoded")

// checkQuery rejects unknown query parameters, and those that are given twice.
func checkQuery(r *http.Request, known []string) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badQuery
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) {
			return strict.Refuse("query parameter", name, name, known)
		}
		if len(values[name]) > 1 {
			return environment.BadValue.At(name).Detailf("is given twice")
		}
	}
	return nil
}

// truth returns a boolean query parameter, standard if absent.
func truth(r *http.Request, name string, standard bool) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "":
		return standard, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, environment.BadValue.At(name).Detailf("must be true or false")
}

// readBody decodes a JSON object of at most limit bytes into the struct that v
// points to. It rejects unknown members at any depth.
func readBody(r *http.Request, limit int64, v any) error {
	body, err := httpkit.ReadBody(r, limit)
	if err != nil {
		return err
	}
	return decodeBody(r.Context(), body, v)
}

// decodeBody is readBody for a body that has been read.
func decodeBody(ctx context.Context, body []byte, v any) error {
	if err := httpkit.DecodeJSON(ctx, body, v); err != nil {
		return err
	}
	return strict.MembersOnce(body, v)
}

// checkNoBody rejects a body with members for a route without a body.
func checkNoBody(r *http.Request) error { return readBody(r, maxBody, &struct{}{}) }

// writeUnknown replies that a name is unknown, with a suggestion, and with its line
// if it is in a document.
func writeUnknown(w http.ResponseWriter, e *fault.Error, near strict.Located) {
	body := map[string]any{"code": string(e.Reason), "message": e.Field + ": " + e.Detail, "field": e.Field}
	if near.Line > 0 {
		body["line"], body["message"] = near.Line, fmt.Sprintf("line %d, %s: %s", near.Line, e.Field, e.Detail)
	}
	if near.Column > 0 {
		body["column"] = near.Column
	}
	if near.Suggestion != "" {
		body["did_you_mean"] = near.Suggestion
	}
	httpkit.WriteJSON(w, httpkit.Status(e.Kind), map[string]any{"error": body})
}
