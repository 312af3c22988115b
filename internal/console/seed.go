package console

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/clone"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/yamldoc"
)

// maxDocument bounds a seed document, in bytes.
const maxDocument = 8 << 20

// seed applies a document to an existing environment.
func (c *Console) seed(w http.ResponseWriter, r *http.Request) error {
	body, err := httpkit.ReadBody(r, maxDocument)
	if err != nil {
		return err
	}
	doc, err := parseDocument(r.Context(), r.Header.Get("Content-Type"), body)
	if err != nil {
		return err
	}
	seed := c.d.Provisioner.Seed
	dry, err := truth(r, "dry_run", false)
	if err != nil {
		return err
	}
	if dry {
		seed = func(ctx context.Context, id string, doc *seeddoc.Node) (map[string]any, error) {
			return rehearse(ctx, &c.d, id, doc)
		}
	}
	made, err := seed(r.Context(), r.PathValue("env"), doc)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, map[string]any{"made": made})
	return nil
}

// errRehearsed aborts the fork of a dry run.
var errRehearsed = errors.New("console: the document was only tried")

// rehearse applies a document to a temporary, invisible copy of an environment.
// It returns what Seed would return.
func rehearse(ctx context.Context, d *Deps, id string, doc *seeddoc.Node) (made map[string]any, err error) {
	_, err = d.Clones.Fork(ctx, id, clone.Fork{Differs: environment.Fork{Mute: true}, Fill: func(ctx context.Context, env *environment.Environment) error {
		var err error
		if made, err = d.Provisioner.Apply(ctx, env, doc); err == nil {
			err = errRehearsed
		}
		return err
	}})
	if errors.Is(err, errRehearsed) {
		err = nil
	}
	return made, err
}

// parseDocument parses a document by its content type, by default as JSON.
func parseDocument(ctx context.Context, contentType string, body []byte) (*seeddoc.Node, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && err != nil {
		kind = contentType
	}
	switch kind {
	case "", "application/json":
		return parseJSON(ctx, body)
	case "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml":
		return parseYAML(ctx, body)
	}
	return nil, environment.BadValue.At("Content-Type").Detailf("must be application/json or application/yaml")
}

// documentIn returns the member document of a request body, with lines counted
// from the beginning of the body; nil if absent. It may also be a text in YAML or
// JSON, with lines counted from its own beginning.
func documentIn(ctx context.Context, body []byte, document json.RawMessage) (*seeddoc.Node, error) {
	if len(document) == 0 || string(document) == "null" {
		return nil, nil
	}
	root, err := seeddoc.ParseJSON(body)
	if err != nil {
		return nil, err
	}
	var doc *seeddoc.Node
	for _, m := range root.Members { // the last, which the JSON decoder uses too
		if m.Name == "document" {
			doc = m.Value
		}
	}
	if doc.Kind != seeddoc.String {
		return doc, nil
	}
	if strings.HasPrefix(strings.TrimSpace(doc.Scalar), "{") {
		return parseJSON(ctx, []byte(doc.Scalar))
	}
	return parseYAML(ctx, []byte(doc.Scalar))
}

// parseJSON reads a JSON document. It returns what budget.JSON and seeddoc.ParseJSON return.
func parseJSON(ctx context.Context, text []byte) (*seeddoc.Node, error) {
	if err := budget.JSON(ctx, text); err != nil {
		return nil, err
	}
	return seeddoc.ParseJSON(text)
}

// parseYAML reads a YAML document. It returns what budget.YAML and yamldoc.Parse return.
func parseYAML(ctx context.Context, text []byte) (*seeddoc.Node, error) {
	if err := budget.YAML(ctx, text); err != nil {
		return nil, err
	}
	return yamldoc.Parse(text)
}

// writeProblems replies with the problems of a document: the first as the error,
// and all of them in problems.
func writeProblems(w http.ResponseWriter, status int, e *fault.Error, problems seeddoc.Problems) {
	body := map[string]any{"code": string(e.Reason), "message": e.Detail, "problems": problems}
	if len(problems) > 0 {
		first := problems[0]
		if body["line"], body["field"] = first.Line, first.Field; first.Column > 0 {
			body["column"] = first.Column
		}
	}
	httpkit.WriteJSON(w, status, map[string]any{"error": body})
}
