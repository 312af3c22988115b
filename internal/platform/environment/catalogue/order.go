package catalogue

import (
	"strconv"
	"strings"

	"understudy/internal/platform/environment"
)

// Order is an order of environments, such as "name" or "-created_at"; the zero
// value orders by id.
type Order struct {
	By         string // one of Orders, or "" for the id
	Descending bool
}

// Orders are the possible values of By, besides "".
var Orders = []string{"name", "created_at", "expires_at"}

// Place is a place in an Order. The zero value is the beginning.
type Place struct {
	ID    string
	Value string // the sort value: a name, or microseconds; "" when ordered by id
}

// PlaceOf returns the place of an environment. Those that never expire come last.
func (o Order) PlaceOf(i *environment.Info) Place {
	switch o.By {
	case "name":
		return Place{i.ID, i.Name}
	case "created_at":
		return Place{i.ID, strconv.FormatInt(i.Created.UnixMicro(), 10)}
	case "expires_at":
		return Place{i.ID, strconv.FormatInt(micros(i.Expires), 10)}
	}
	return Place{ID: i.ID}
}

// String returns the text form, which ReadPlace parses.
func (p Place) String() string {
	if p.Value == "" {
		return p.ID
	}
	return p.ID + " " + p.Value
}

// ReadPlace parses a text of String, and reports whether it is a place of this
// order.
func (o Order) ReadPlace(text string) (Place, bool) {
	var p Place
	p.ID, p.Value, _ = strings.Cut(text, " ")
	switch o.By {
	case "", "name":
		return p, o.By != "" || p.Value == ""
	}
	_, err := strconv.ParseInt(p.Value, 10, 64)
	return p, text == "" || err == nil
}
