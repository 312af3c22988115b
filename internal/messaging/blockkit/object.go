package blockkit

import "strconv"

// object validates a JSON object. If a required field is missing it checks
// nothing else; then it checks each field, then unknown fields.
func (v *validator) object(o *object, s *shape, n *node) {
	if v.missing(o, s, n) {
		return
	}
	v.alternatives(o, n)
	if o.block {
		outer := v.actionIDs
		v.actionIDs = map[string]bool{}
		defer func() { v.actionIDs = outer }()
	}
	table := o.block && (o.name == "table" || o.name == "data_table")
	if table {
		v.tables++
		v.inTable = true
		defer func() { v.inTable = false }()
	}
	for i := range o.fields {
		f := &o.fields[i]
		value := n.get(f.name)
		if value == nil {
			continue
		}
		v.in(f.name, func() { v.member(o, f, s, value) })
	}
	if o.kind != "" && !s.union {
		if kind := n.get("type"); kind != nil && kind.text() != o.kind {
			v.in("type", func() { v.fail("must be a valid enum value") })
		}
	}
	for _, m := range n.members {
		if o.find(m.name) == nil && (m.name != "type" || o.kind == "") {
			v.fail("invalid additional property: " + clip(m.name))
		}
	}
	v.special(o, n)
	v.found = append(v.found, foundObject{o, n, o.block && len(v.path) != v.top()})
}

// top returns the length of the path of an item of blocks.
func (v *validator) top() int {
	if len(v.path) > 0 && v.path[0] == "attachments" {
		return 4
	}
	return 2
}

// member validates the value of a field.
func (v *validator) member(o *object, f *field, s *shape, value *node) {
	shape := &f.shape
	if s.textMax > 0 && f.name == "text" && shape.kind == isString {
		bounded := *shape
		bounded.max = s.textMax
		shape = &bounded
	}
	v.value(shape, value)
	if value.kind != '"' {
		return
	}
	switch f.name {
	case "block_id":
		v.once(v.blockIDs, f.name, value)
	case "action_id":
		v.once(v.actionIDs, f.name, value)
	case "text":
		switch {
		case v.inTable:
			v.cells += value.length()
		case o.name == "markdown":
			v.markdown += value.length()
		}
		if !v.inTable {
			v.text += value.length()
		}
	}
}

// once records a problem if an id is already used.
func (v *validator) once(seen map[string]bool, name string, value *node) {
	id := value.text()
	if seen[id] {
		v.fail("`" + name + "` \"" + clip(id) + "\" already exists")
	}
	seen[id] = true
}

// missing records all required fields that are absent.
func (v *validator) missing(o *object, s *shape, n *node) (any bool) {
	need := func(name string) {
		if n.get(name) == nil {
			v.fail("missing required field: " + name)
			any = true
		}
	}
	if o.kind != "" && !s.untyped {
		need("type")
	}
	for i := range o.fields {
		if o.fields[i].required {
			need(o.fields[i].name)
		}
	}
	return any
}

// alternatives checks which fields may or must occur together.
func (v *validator) alternatives(o *object, n *node) {
	count := func(names []string) (given int) {
		for _, name := range names {
			if n.get(name) != nil {
				given++
			}
		}
		return given
	}
	if len(o.exactlyOne) > 0 && count(o.exactlyOne) != 1 || len(o.notBoth) > 0 && count(o.notBoth) == len(o.notBoth) {
		v.fail("failed to match exactly one allowed schema")
	}
	if len(o.atLeastOne) > 0 && count(o.atLeastOne) == 0 {
		if o.name == "section" {
			v.in("type", func() { v.fail("must define either `text` or `fields`") })
		} else {
			v.fail("failed to match any allowed schemas")
		}
	}
	if o.minFields > 0 && len(n.members) < o.minFields {
		v.fail("failed to match any allowed schemas")
	}
}

// special checks the rules that the schema does not express.
func (v *validator) special(o *object, n *node) {
	switch o.name {
	case "data_visualization":
		v.charts++
	case "segment":
		if value := n.get("value"); value != nil && value.kind == '0' {
			if f, err := strconv.ParseFloat(string(value.raw), 64); err == nil && f <= 0 {
				v.in("value", func() { v.fail("must be greater than 0") })
			}
		}
	case "data_table":
		v.header(n.get("rows"))
	}
}

// header rejects rich text in the first row of a data_table.
func (v *validator) header(rows *node) {
	if rows == nil || len(rows.items) == 0 {
		return
	}
	for i, cell := range rows.items[0].items {
		if cell.kind == '{' && cell.get("type").text() == "rich_text" {
			v.path = append(v.path, "rows", "0", strconv.Itoa(i), "type")
			v.fail("unsupported type: rich_text")
			v.path = v.path[:len(v.path)-4]
		}
	}
}

// complete adds ids and the defaults of texts.
func (v *validator) complete(newID func() string) {
	for _, f := range v.found {
		switch {
		case f.block:
			v.nameBlock(f, newID)
		case f.interactive:
			if f.node.get("action_id") == nil {
				f.node.setSecond("action_id", stringNode(newID()))
			}
		case f.kind == "plain_text":
			if f.node.get("emoji") == nil {
				f.node.set("emoji", trueNode)
			}
		case f.kind == "mrkdwn":
			if f.node.get("verbatim") == nil {
				f.node.set("verbatim", falseNode)
			}
		}
	}
}

// nameBlock adds the block_id: in a nested block as the last member.
func (v *validator) nameBlock(f foundObject, newID func() string) {
	if f.node.get("type") == nil {
		f.node.setFirst("type", stringNode(f.kind))
	}
	if f.node.get("block_id") != nil {
		return
	}
	id := ""
	if f.name == "task_card" {
		id = "task-" + f.node.get("task_id").text()
	}
	for tries := 0; id == "" || v.blockIDs[id] && tries < 16; tries++ {
		id = newID()
	}
	v.blockIDs[id] = true
	if f.nested && f.name == "rich_text" {
		f.node.set("block_id", stringNode(id))
	} else {
		f.node.setSecond("block_id", stringNode(id))
	}
}

// total returns the error of a message that exceeds one of the totals, "" for
// none.
func (v *validator) total() string {
	switch {
	case v.tables > maxTables:
		return onlyOneTable
	case v.markdown > maxMarkdown, v.text > maxCharacters, v.cells > maxTableCharacters, v.charts > maxVisualizations:
		return string(BlocksTooLong)
	}
	return ""
}
