package engine

// CostRule returns the cost of a selected field. It is called when a document is
// compiled, once for each field of the plan. __typename and introspection cost
// nothing.
type CostRule func(f CostField) Cost

// CostField is a selected field, for a CostRule.
type CostField struct {
	Parent, Name, Type string // the object type, the field, and the named type that it returns
	Leaf               bool   // a scalar or enum, or a list of them
	List               bool
	OnlyID             bool // an object of which at most id and __typename are selected
}

// Cost is the cost of a field: Own points, and the cost of what is selected below
// it, multiplied by Times unless that is nil. Times receives the field's
// arguments in the request.
type Cost struct {
	Own   float64
	Times func(Args) float64
}

// costNode is the cost of a selection: a constant, and parts that depend on the
// arguments of a request.
type costNode struct {
	fixed float64
	parts []costPart
}

// costPart is a factor times the maximum of its nodes. A field of an abstract
// type has one node for each possible object type.
type costPart struct {
	field *field
	times func(Args) float64
	nodes []*costNode
}

func (n *costNode) points(p *Prepared) float64 {
	sum := n.fixed
	for _, part := range n.parts {
		most := 0.0
		for _, node := range part.nodes {
			most = max(most, node.points(p))
		}
		if part.times != nil {
			if args, err := p.args(part.field); err == nil {
				most *= part.times(args)
			}
		}
		sum += most
	}
	return sum
}

// costOf sums up the costs of a selection's fields, after the costs below them.
func costOf(s *selection) *costNode {
	n := &costNode{}
	for _, f := range s.fields {
		n.fixed += f.own
		if len(f.targets) == 0 {
			continue
		}
		part := costPart{field: f, times: f.times}
		for _, t := range f.targets {
			part.nodes = append(part.nodes, t.cost)
		}
		if f.times == nil && len(part.nodes) == 1 {
			n.fixed += part.nodes[0].fixed
			n.parts = append(n.parts, part.nodes[0].parts...)
			continue
		}
		n.parts = append(n.parts, part)
	}
	return n
}
