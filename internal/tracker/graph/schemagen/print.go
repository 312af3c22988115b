package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const sdlHead = `# Written by schemagen from types.json; change additions.json or areas.go there and run go generate instead of editing.

"Marks what belongs to an area that this service does not have. It is accepted as null, and refused by name otherwise."
directive @unserved on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION

schema {
  query: Query
  mutation: Mutation
}
`

// kinds is the order of the sections; Query and Mutation come first.
var kinds = []string{"SCALAR", "ENUM", "INTERFACE", "UNION", "OBJECT", "INPUT"}

func printSDL(types map[string]*typeDef) string {
	b := &strings.Builder{}
	b.WriteString(sdlHead)
	printType(b, "Query", types["Query"])
	printType(b, "Mutation", types["Mutation"])
	for _, kind := range kinds {
		for _, name := range sortedKeys(types) {
			if types[name].Kind == kind && name != "Query" && name != "Mutation" {
				printType(b, name, types[name])
			}
		}
	}
	return b.String()
}

func printType(b *strings.Builder, name string, t *typeDef) {
	fmt.Fprintf(b, "\n%q\n", describe(name, t))
	switch t.Kind {
	case "SCALAR":
		fmt.Fprintf(b, "scalar %s\n", name)
	case "UNION":
		fmt.Fprintf(b, "union %s = %s\n", name, strings.Join(t.Members, " | "))
	case "ENUM":
		fmt.Fprintf(b, "enum %s {\n", name)
		for _, v := range t.Values {
			fmt.Fprintf(b, "  %q\n  %s\n", describeValue(name, v), v)
		}
		b.WriteString("}\n")
	default:
		word := map[string]string{"OBJECT": "type", "INTERFACE": "interface", "INPUT": "input"}[t.Kind]
		fmt.Fprintf(b, "%s %s", word, name)
		if len(t.Interfaces) > 0 {
			fmt.Fprintf(b, " implements %s", strings.Join(t.Interfaces, " & "))
		}
		b.WriteString(" {\n")
		for _, field := range sortedKeys(t.Fields) {
			f := t.Fields[field]
			fmt.Fprintf(b, "  %q\n  %s%s: %s%s%s\n", describeField(name, field, f), field, printArgs(field, f.Args), f.Type, printDefault(f.Default), directives(f))
		}
		b.WriteString("}\n")
	}
}

func directives(f *fieldDef) (out string) {
	if f.Deprecated {
		out += " @deprecated"
	}
	if f.Unserved {
		out += " @unserved"
	}
	return out
}

func printArgs(owner string, args map[string]*fieldDef) string {
	if len(args) == 0 {
		return ""
	}
	b := &strings.Builder{}
	b.WriteString("(\n")
	for _, name := range sortedKeys(args) {
		a := args[name]
		fmt.Fprintf(b, "    %q\n    %s: %s%s%s\n", describeField(owner, name, a), name, a.Type, printDefault(a.Default), directives(a))
	}
	b.WriteString("  )")
	return b.String()
}

func printDefault(v any) string {
	if v == nil {
		return ""
	}
	if word, ok := v.(string); ok {
		return " = " + word // every default that is a string is a value of an enum
	}
	raw, _ := json.Marshal(v)
	return " = " + string(raw)
}

var reasonOrder = []string{reasonUndescribed, reasonFilterArea, reasonDerived, reasonInputArea, reasonRichText, reasonSetting, reasonOlder}

func printCuts(made cuts) string {
	b := &strings.Builder{}
	for _, reason := range reasonOrder {
		if len(made[reason]) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s:\n\n", reason)
		for _, typ := range sortedKeys(made[reason]) {
			fields := made[reason][typ]
			slices.Sort(fields)
			fmt.Fprintf(b, "- `%s`: %s\n", typ, "`"+strings.Join(fields, "`, `")+"`")
		}
	}
	b.WriteByte('\n')
	return b.String()
}
