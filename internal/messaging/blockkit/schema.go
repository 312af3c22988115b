package blockkit

//go:generate sh -c "go run ./gen blocks.json > table.go"

// kindOf is the kind of a JSON value that a schema wants.
type kindOf uint8

const (
	isAny kindOf = iota
	isString
	isBoolean
	isNumber
	isInteger
	isEnum
	isObject
	isArray
)

// wrongKind is the refusal of a value of another kind.
var wrongKind = [...]string{isString: "must provide a string", isBoolean: "must be a boolean", isNumber: "must provide a number",
	isInteger: "must provide an integer", isObject: "must provide an object", isArray: "must provide an array"}

// A ref is the number of an object in the table.
type ref uint8

// A shape is what one value must be.
type shape struct {
	kind     kindOf
	bounded  bool // min counts: of characters, or the number itself
	min, max int  // characters of a string, items of an array, or a number; max 0 is open
	unique   bool // no two items are equal
	nullable bool
	values   []string // of an enum, as JSON
	pattern  string
	format   string
	of       *shape // the items of an array
	refs     []ref  // what an object can be
	union    bool   // the type of the object chooses among refs
	untyped  bool   // the type may be left out, though refs has one
	textMax  int    // characters of a text object here
}

// A field is a member of an object.
type field struct {
	name     string
	required bool
	shape    shape
}

// An object is a closed JSON object: a field that it does not list is refused.
type object struct {
	name        string
	kind        string // the value of its member type; "" for an object without one
	block       bool
	interactive bool // has an action_id
	fields      []field
	exactlyOne  []string
	atLeastOne  []string
	notBoth     []string
	minFields   int
}

// find returns the field with a name, or nil.
func (o *object) find(name string) *field {
	for i := range o.fields {
		if o.fields[i].name == name {
			return &o.fields[i]
		}
	}
	return nil
}
