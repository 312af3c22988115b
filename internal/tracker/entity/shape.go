package entity

// Sort is the type of the values that a filter compares or an order uses.
type Sort int

// The types of values, and of relations.
const (
	ByText   Sort = iota // "" is null
	ByID                 // a UUID; "" is null
	ByNumber             // an integer
	ByFloat              // may be NULL
	ByTime               // microseconds; 0 is null
	ByDate               // YYYY-MM-DD; "" is null
	ByFlag               // a boolean column or condition
	ToOne                // a relation by an id column
	ToMany               // a collection
)

// Field is a field of a filter. In its texts "@" is the row and "#" the related
// row; :me, :org and :now are the caller, the tenant and the time.
type Field struct {
	Sort  Sort
	Expr  string        // the column or condition; of ToMany: how # belongs to @
	From  string        // of ToMany: the FROM clause that holds #
	To    func() *Shape // of ToOne and ToMany; a function, since shapes refer to each other
	Alias bool          // of ByID: what Shape.Aliases resolves is accepted too
}

// Shape describes the filters on a kind of row.
type Shape struct {
	Name    string // "Issue"
	Table   string
	Live    string // condition on # for the related rows that exist
	Hide    string // condition on # for the related rows that the caller may see; "" for all
	Fields  map[string]Field
	Aliases func(s *Scope, names []string) (ids []string, err error) // the ids of rows by other names
}

// Condition returns the condition of a Field's text on the row alias, with its arguments.
func Condition(v Viewer, text, alias string) (cond string, args []any) {
	c := &compiler{v: v, s: v.Scoped()}
	cond = c.place(text, alias, "")
	return cond, c.args
}
