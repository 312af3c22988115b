package blockkit

//go:generate sh -c "go run ./gen blocks.json > table.go"

// kindOf is a kind of JSON value.
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

// wrongKind is the problem text for a value of the wrong kind.
var wrongKind = [...]string{isString: "must provide a string", isBoolean: "must be a boolean", isNumber: "must provide a number",
	isInteger: "must provide an integer", isObject: "must provide an object", isArray: "must provide an array"}

// A ref is the index of an object in the table.
type ref uint8

// A shape is the schema of one value.
type shape struct {
	kind     kindOf
	bounded  bool // min and max apply: to the characters, or to the number itself
	min, max int  // characters of a string, items of an array, or a number; max 0 is unbounded
	unique   bool // all items differ
	nullable bool
	values   []string // of an enum, as JSON
	pattern  string
	format   string
	of       *shape // the shape of the items of an array
	refs     []ref  // the possible shapes of an object
	union    bool   // the member type selects among refs
	untyped  bool   // the member type may be absent even though refs has one
	textMax  int    // the most characters of a text object
}

// A field is a member of an object.
type field struct {
	name     string
	required bool
	shape    shape
}

// An object is the schema of a closed JSON object: unknown fields are rejected.
type object struct {
	name        string
	kind        string // the value of the member type; "" if there is none
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
