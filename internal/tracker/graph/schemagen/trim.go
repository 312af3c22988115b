package main

// cuts says what was left out: by reason, then by type, the field names.
type cuts map[string]map[string][]string

func (c cuts) add(reason, typ, field string) {
	if c[reason] == nil {
		c[reason] = map[string][]string{}
	}
	c[reason][typ] = append(c[reason][typ], field)
}

// trim gives the types that can be reached from Query and Mutation once the
// cuts are made, and the cuts that were made on the way.
func trim(all map[string]*typeDef) (map[string]*typeDef, cuts) {
	all["ArchivePayload"] = archivePayload
	kept, made := map[string]*typeDef{}, cuts{}
	queue := []string{"Query", "Mutation"}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		def := all[name]
		if def == nil || kept[name] != nil {
			continue // a built-in scalar, or done
		}
		def = trimType(name, def, all, made)
		kept[name] = def
		queue = append(queue, def.Interfaces...)
		queue = append(queue, def.Members...)
		for _, field := range sortedKeys(def.Fields) {
			queue = append(queue, named(def.Fields[field].Type))
			for _, arg := range sortedKeys(def.Fields[field].Args) {
				queue = append(queue, named(def.Fields[field].Args[arg].Type))
			}
		}
	}
	return kept, made
}

func trimType(name string, def *typeDef, all map[string]*typeDef, made cuts) *typeDef {
	out := *def
	out.Fields = map[string]*fieldDef{}
	for _, field := range sortedKeys(def.Fields) {
		if why := reason(name, field, def, all); why != "" {
			made.add(why, name, field)
			continue
		}
		out.Fields[field] = def.Fields[field]
	}
	return &out
}

// reason tells why a field is left out; "" keeps it.
func reason(typ, field string, def *typeDef, all map[string]*typeDef) string {
	f := def.Fields[field]
	switch def.Kind {
	case "OBJECT":
		if f.Tier == "A" || f.Tier == "B" || keptOutput(typ, field) {
			return ""
		}
		if !def.Core {
			return reasonStub
		}
		if f.Tier == "C" {
			return reasonArea
		}
		return reasonUnselected
	case "INPUT":
		if why := cutInputTypes[named(f.Type)]; why != "" {
			return why
		}
		if why := cutInputFields[typ+"."+field]; why != "" {
			return why
		}
		if why := cutInputFields["*."+field]; why != "" {
			return why
		}
		if target := settingsOf[typ]; target != "" && !keptSettings[typ+"."+field] {
			if out := all[target].Fields[field]; out == nil || out.Tier != "A" && out.Tier != "B" {
				return reasonSetting
			}
		}
	}
	return ""
}
