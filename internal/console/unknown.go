package console

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// unknownMember is the refusal of a member or query parameter that an address does not have.
var unknownMember = fault.New(fault.Invalid, "unknown_member", "")

// suggestion is the known name that an unknown one was perhaps meant to be; "" for none.
type suggestion string

// unknown returns the refusal of a name, with the nearest of the known ones.
func unknown(what, name string, known []string) error {
	detail := "There is no " + what + " of this name; there is none at all here."
	if len(known) > 0 {
		detail = "There is no " + what + " of this name; there are " + strings.Join(known, ", ") + "."
	}
	best, least := "", 4
	for _, k := range known {
		if d := distance(strings.ToLower(name), k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return unknownMember.At(name).Detailf("%s", detail).With(suggestion(best))
}

// distance returns the number of letters to add, remove, replace or swap with
// the next that lead from one name to another; 99 for names that are too long.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 99
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// checkQuery refuses a query parameter that is not among the known ones.
func checkQuery(r *http.Request, known []string) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if !slices.Contains(known, name) {
			return unknown("query parameter", name, known)
		}
	}
	return nil
}

// readBody reads a JSON object of at most limit bytes into the struct that v
// points to, and refuses members that the struct does not have.
func readBody(r *http.Request, limit int64, v any) error {
	body, err := httpkit.ReadBody(r, limit)
	if err != nil {
		return err
	}
	return decodeBody(r, body, v)
}

// decodeBody is readBody for a body that is read already.
func decodeBody(r *http.Request, body []byte, v any) error {
	if err := httpkit.DecodeJSON(r.Context(), body, v); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if len(body) == 0 || json.Unmarshal(body, &members) != nil {
		return nil // an empty body is an empty object
	}
	t := reflect.TypeOf(v).Elem()
	known := make([]string, t.NumField())
	for i := range known {
		known[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			return unknown("member", name, known)
		}
	}
	return nil
}

func writeUnknown(w http.ResponseWriter, e *fault.Error) {
	body := map[string]any{"code": string(e.Reason), "message": e.Field + ": " + e.Detail, "field": e.Field}
	if near, _ := e.Attrs.(suggestion); near != "" {
		body["did_you_mean"] = string(near)
	}
	httpkit.WriteJSON(w, http.StatusBadRequest, map[string]any{"error": body})
}
