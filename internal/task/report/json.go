package report

import (
	"encoding/json"
	"io"
)

// JSON writes the report as JSON; its schema is docs/report.schema.json.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
