package control

import (
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/page"
)

var badLimit = fault.New(fault.Invalid, "invalid_limit", "The limit must be a whole number from 1 on.").At("limit")

// pages holds the page sizes of all lists of the control plane.
var pages = httpkit.Pages{Standard: 100, Most: 1000, BadLimit: badLimit}

// list is a list of items in order of creation.
type list[T any] struct {
	kind   string // of its cursors
	plural string // the member of the reply that holds the items
	find   func(after messaging.Place, limit int) ([]T, error)
	place  func(item T) messaging.Place
	show   func(item T) any // the reply's form of an item
}

// serve replies to a request with the page that it asks for.
func (l list[T]) serve(w http.ResponseWriter, r *http.Request) error {
	return httpkit.List[T]{Kind: l.kind, Plural: l.plural, Show: func(item *T) any { return l.show(*item) },
		Find: func(after string, limit int) ([]T, error) {
			at, err := parsePlace(after)
			if err != nil {
				return nil, err
			}
			return l.find(at, limit)
		},
		Position: func(item *T) string { return formatPlace(l.place(*item)) },
	}.Serve(pages, w, r)
}

func formatPlace(at messaging.Place) string { return strconv.FormatInt(at.Created, 10) + "/" + at.ID }

// parsePlace parses the text of formatPlace, and "" as the zero place. It returns
// page.BadCursor.
func parsePlace(position string) (at messaging.Place, err error) {
	if position == "" {
		return at, nil
	}
	created, id, ok := strings.Cut(position, "/")
	at.ID = id
	if at.Created, err = strconv.ParseInt(created, 10, 64); err != nil || !ok || !idForm.MatchString(id) {
		return messaging.Place{}, page.BadCursor.At("cursor")
	}
	return at, nil
}
