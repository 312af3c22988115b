package task

import (
	"bytes"
	"encoding/json"

	"understudy/internal/platform/seeddoc"
)

// Schema returns the JSON schema of tasks, generated from the structs that Read
// fills.
func Schema() ([]byte, error) {
	schema := seeddoc.Schema("Understudy task", "What an agent is to do in a world, and how it is graded; docs/evaluation.md explains it.", map[string]any{"task": File{}})
	defs := schema["$defs"].(map[string]any)
	root := defs["task.File"].(map[string]any)
	delete(defs, "task.File")
	for _, name := range []string{"type", "properties", "required", "additionalProperties"} {
		schema[name] = root[name]
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(schema)
	return b.Bytes(), err
}
