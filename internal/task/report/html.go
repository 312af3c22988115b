package report

import "io"

// HTML writes the report as one file.
func (r *Report) HTML(io.Writer) error { return nil }
