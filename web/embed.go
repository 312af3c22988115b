// Package web holds the built pages of the web UI. Its sources are the
// TypeScript beside this file; `make build` puts the result into dist.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built pages, and reports whether they were built: a program
// made without Node has none.
func Files() (files fs.FS, ok bool) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, false
	}
	_, err = fs.Stat(files, "index.html")
	return files, err == nil
}
