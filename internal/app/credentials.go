package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"understudy/internal/platform/environment"
)

// CredentialsPath returns the path of the default environment's credentials.
func (a *App) CredentialsPath() string { return filepath.Join(a.o.Data, "credentials.json") }

// baseURL returns the base URL of a service in an environment.
func (a *App) baseURL(env, service string) string {
	if env == environment.Default {
		return a.origin() + "/" + service
	}
	return a.origin() + "/e/" + env + "/" + service
}

// credentials returns the object of credentials.json for an environment with the
// id and the content of env.
func (a *App) credentials(ctx context.Context, id string, env *environment.Environment) (map[string]any, error) {
	c, err := env.Credentials(ctx, func(service string) string { return a.baseURL(id, service) })
	if err != nil {
		return nil, err
	}
	c["environment"] = id
	c["admin"] = map[string]any{"base_url": a.adminOrigin() + "/admin/v1", "key": a.admin.text()}
	return c, nil
}

// writeCredentials writes credentials.json, unless the file is up to date.
func (a *App) writeCredentials(ctx context.Context) error {
	a.credentialsFile.Lock() // held from reading to writing, so that the newest credentials are written last
	defer a.credentialsFile.Unlock()
	env, leave, err := a.envs.Enter(ctx, environment.Default)
	if err != nil {
		return err
	}
	defer leave()
	c, err := a.credentials(ctx, env.ID, env)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if have, err := os.ReadFile(a.CredentialsPath()); err == nil && bytes.Equal(have, text) {
		return os.Chmod(a.CredentialsPath(), 0o600)
	}
	return writeFile(a.CredentialsPath(), text)
}

func (a *App) credentialsChanged(env string) {
	if env != environment.Default {
		return
	}
	if err := a.writeCredentials(context.Background()); err != nil {
		a.log.Error("credentials.json could not be written", "error", err)
	}
}
