package console

import (
	"context"
	"net/http"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/verdict"
)

// maxVerdict bounds the document of a verdict, in bytes.
const maxVerdict = 1 << 20

func (c *Console) verdictRoutes() {
	c.handle("GET /admin/v1/entities", c.entities)
	c.handle("POST /admin/v1/environments/{env}/verdict", c.verdict)
}

// entities replies with the vocabulary of verdicts.
func (c *Console) entities(w http.ResponseWriter, _ *http.Request) error {
	httpkit.WriteJSON(w, http.StatusOK, c.vocabulary())
	return nil
}

func (c *Console) readVocabulary() *verdict.Vocabulary {
	services := c.d.Environments.Platform.Services
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Name()
	}
	return verdict.NewVocabulary(environment.Entities(services), environment.Operations(services), names)
}

// verdict replies with the verdict of a document on an environment.
func (c *Console) verdict(w http.ResponseWriter, r *http.Request) error {
	body, err := httpkit.ReadBody(r, maxVerdict)
	if err != nil {
		return err
	}
	root, err := parseDocument(r.Context(), r.Header.Get("Content-Type"), body)
	if err != nil {
		return err
	}
	doc, err := verdict.Read(root, c.vocabulary())
	if err != nil {
		return err
	}
	var out *verdict.Verdict
	err = c.d.Environments.Work(r.Context(), r.PathValue("env"), func(ctx context.Context, env *environment.Environment) error {
		var settled *bool
		if wait := doc.Settle; wait != nil {
			s, err := environment.Settle(ctx, env, c.d.Arrived, wait.Quiet, wait.Timeout)
			if err != nil {
				return err
			}
			settled = &s.Settled
		}
		// Read the environment's own data first: an environment in memory has a single
		// connection, which the two states use.
		source := sourceOf(env)
		var made map[string]any
		if doc.UsesMade { // only then, since it is as large as the seed documents
			if made, err = environment.Made(ctx, env); err != nil {
				return err
			}
		}
		return c.d.Clones.Read(ctx, env, doc.From, doc.To, true, func(reading *diff.Reading) error {
			out, err = verdict.Evaluate(ctx, doc, c.vocabulary(), verdict.World{Reading: reading, Source: source, Now: env.Clock.Now(), Made: made})
			if err == nil {
				out.Settled = settled
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}
