package main

import (
	"maps"
	"slices"
	"strings"
)

type typeDef struct {
	Kind       string               `json:"kind"`
	Core       bool                 `json:"core"`
	Interfaces []string             `json:"interfaces"`
	Members    []string             `json:"members"`
	Values     []string             `json:"values"`
	Fields     map[string]*fieldDef `json:"fields"`
}

type fieldDef struct {
	Type       string               `json:"type"`
	Args       map[string]*fieldDef `json:"args"`
	Default    any                  `json:"default"`
	Deprecated bool                 `json:"deprecated"`
	Tier       string               `json:"sdk"`
	Added      bool                 `json:"-"` // from additions.json
	Unserved   bool                 `json:"-"` // an input that is accepted only as null
}

// named strips the list and non-null marks.
func named(t string) string { return strings.Trim(t, "[]!") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
