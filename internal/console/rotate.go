package console

import (
	"net/http"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
)

// rotate rotates the credentials of an environment and replies with them.
func (c *Console) rotate(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	if err := env.RotateCredentials(r.Context()); err != nil {
		return err
	}
	out, err := c.d.Credentials(r.Context(), env.ID, env)
	if err != nil {
		return err
	}
	out["id"] = env.ID
	httpkit.WriteJSON(w, http.StatusOK, out)
	return nil
}

// rotateKey rotates the key of the admin plane. The old one is accepted for a
// while.
func (c *Console) rotateKey(w http.ResponseWriter, r *http.Request) error {
	key, grace, err := c.d.RotateKey(r.Context())
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, map[string]any{"key": key, "old_key_valid_seconds": int(grace.Seconds())})
	return nil
}
