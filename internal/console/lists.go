package console

import (
	"net/http"
	"strconv"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
)

// pages holds the page sizes of all lists of the admin plane.
var pages = httpkit.Pages{Standard: 50, Most: 200, BadLimit: environment.BadValue.At("limit").Detailf("must be a number from 1 to 200")}

// serveList replies with the requested page of a list: {"<plural>": [...],
// "next_cursor": ""}. kind is that of the cursors, position returns that of an
// item, and show its form in replies.
func serveList[T, R any](w http.ResponseWriter, r *http.Request, kind, plural string, find func(after string, limit int) ([]T, error),
	position func(*T) string, show func(T) R) error {
	return listOf(kind, plural, find, position, show).Serve(pages, w, r)
}

// listOf returns the list of serveList.
func listOf[T, R any](kind, plural string, find func(after string, limit int) ([]T, error), position func(*T) string, show func(T) R) httpkit.List[T] {
	return httpkit.List[T]{Kind: kind, Plural: plural, Find: find, Position: position, Show: func(item *T) any { return show(*item) }}
}

// newestFirst adapts a list with decreasing numbers as positions; before is 0 for
// the first page.
func newestFirst[T any](find func(before int64, limit int) ([]T, error)) func(string, int) ([]T, error) {
	return func(after string, limit int) ([]T, error) {
		var before int64
		if after != "" {
			var err error
			if before, err = strconv.ParseInt(after, 10, 64); err != nil {
				return nil, page.BadCursor
			}
		}
		return find(before, limit)
	}
}
