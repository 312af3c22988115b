package environment

import (
	"context"
	"encoding/json"
	"fmt"

	"understudy/internal/platform/store"
)

const (
	madeKey = "made"  // the name in env_meta
	maxMade = 1 << 20 // bytes; what further documents create is not stored
)

// AddMade stores what a seed document created, by service and the document's own
// names, in addition to earlier ones.
func AddMade(tx *store.Tx, made map[string]any) error {
	text, err := json.Marshal(made)
	if err != nil {
		return fmt.Errorf("encode the results of a seed document: %w", err)
	}
	var added map[string]any
	if err := json.Unmarshal(text, &added); err != nil || len(text) > maxMade {
		return err
	}
	all, err := readMade(tx)
	if err != nil {
		return err
	}
	merge(all, added)
	if text, err = json.Marshal(all); err != nil || len(text) > maxMade {
		return err
	}
	return setMeta(tx, map[string]string{madeKey: string(text)})
}

// Made returns what seed documents created in an environment, by service and
// their own names.
func Made(ctx context.Context, env *Environment) (made map[string]any, err error) {
	return made, env.World.Read(ctx, func(tx *store.Tx) error {
		made, err = readMade(tx)
		return err
	})
}

func readMade(tx *store.Tx) (map[string]any, error) {
	out := map[string]any{}
	text, err := getMade(tx)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &out)
	}
	return out, err
}

// merge adds the members of one object to another, recursively.
func merge(to, from map[string]any) {
	for name, v := range from {
		inner, isObject := v.(map[string]any)
		if old, ok := to[name].(map[string]any); ok && isObject {
			merge(old, inner)
			continue
		}
		to[name] = v
	}
}
