package report

import (
	"encoding/json"
	"io"
)

// JSON writes the report as JSON; docs/report.schema.json is its schema.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
