package main

import "strings"

// cuts are the fields that are not served: by reason, then by type.
type cuts map[string]map[string][]string

func (c cuts) add(reason, typ, field string) {
	if c[reason] == nil {
		c[reason] = map[string][]string{}
	}
	c[reason][typ] = append(c[reason][typ], field)
}

var archivePayload = &typeDef{Kind: "INTERFACE", Core: true, Fields: map[string]*fieldDef{
	"lastSyncId": {Type: "Float!"},
	"success":    {Type: "Boolean!"},
}}

// extend adds the types and fields of more to all, and adds edges to every
// connection, as the specification demands: the client never selects them.
func extend(all, more map[string]*typeDef) {
	all["ArchivePayload"] = archivePayload
	for _, name := range sortedKeys(more) {
		add := more[name]
		for _, f := range add.Fields {
			f.Added = true
		}
		have := all[name]
		if have == nil {
			all[name] = add
			continue
		}
		for field, f := range add.Fields {
			old := have.Fields[field]
			if old == nil {
				have.Fields[field] = f
				continue
			}
			if f.Deprecated {
				old.Deprecated = true
			}
			old.Type = f.Type
			for arg, a := range f.Args {
				old.Args[arg] = a
			}
		}
	}
	for _, name := range sortedKeys(all) {
		node, ok := strings.CutSuffix(name, "Connection")
		if !ok || all[name].Kind != "OBJECT" || all[name].Fields["edges"] != nil {
			continue
		}
		all[name].Fields["edges"] = &fieldDef{Type: "[" + node + "Edge!]!"}
		all[node+"Edge"] = &typeDef{Kind: "OBJECT", Fields: map[string]*fieldDef{"cursor": {Type: "String!"}, "node": {Type: node + "!"}}}
	}
}

var builtIn = map[string]bool{"String": true, "Int": true, "Float": true, "Boolean": true, "ID": true}

// trim returns the types that are reachable from Query and Mutation, without
// fields of undescribed types, and marks inputs that are not served.
func trim(all map[string]*typeDef) (map[string]*typeDef, cuts) {
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
		f := *def.Fields[field]
		if t := named(f.Type); !builtIn[t] && all[t] == nil {
			made.add(reasonUndescribed, name, field)
			continue
		}
		if why := unserved(name, field, &f, all); why != "" {
			f.Unserved = true
			if unservedTypes[name] == "" {
				made.add(why, name, field)
			}
		}
		for arg, a := range f.Args {
			if unservedArgs[name+"."+field+"."+arg] {
				a.Unserved = true
				made.add(reasonInputArea, name+"."+field, arg)
			}
		}
		out.Fields[field] = &f
	}
	return &out
}

// unserved returns why an input field is accepted only as null; "" for one that
// is served.
func unserved(typ, field string, f *fieldDef, all map[string]*typeDef) string {
	if all[typ].Kind != "INPUT" {
		return ""
	}
	for _, why := range []string{unservedTypes[named(f.Type)], unservedFields[typ+"."+field], unservedFields["*."+field]} {
		if why != "" {
			return why
		}
	}
	if servedInputs[typ+"."+field] {
		return ""
	}
	if f.Added {
		return reasonOlder
	}
	if target := settingsOf[typ]; target != "" {
		if out := all[target].Fields[field]; out == nil || out.Tier != "A" && out.Tier != "B" {
			return reasonSetting
		}
	}
	return ""
}
