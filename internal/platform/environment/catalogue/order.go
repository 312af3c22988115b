package catalogue

import (
	"strconv"
	"strings"

	"understudy/internal/platform/environment"
)

// Order is an order of environments, such as "name" or "-created_at"; the zero
// value is that of ids.
type Order struct {
	By         string // one of Orders, or "" for the id
	Descending bool
}

// Orders are what environments can be ordered by, beside their ids.
var Orders = []string{"name", "created_at", "expires_at"}

// Place is where an environment stands in an Order. The zero value is the beginning.
type Place struct {
	ID    string
	Value string // the value that the order looks at: a name, or microseconds; "" in the order of ids
}

// PlaceOf returns the place of an environment. One that never expires stands
// behind all that do.
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

// String returns the place as ReadPlace reads it.
func (p Place) String() string {
	if p.Value == "" {
		return p.ID
	}
	return p.ID + " " + p.Value
}

// ReadPlace reads what String returned, and reports whether it is a place of this order.
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
