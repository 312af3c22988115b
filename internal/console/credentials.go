package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
)

// The values of the parameters format and for.
var (
	credentialFormats = []string{"json", "env", "mcp"}
	audiences         = []string{"agent", "operator"}
)

// credentials replies with the credentials of an environment in the requested
// form. With for=agent the admin key is left out.
func (c *Console) credentials(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	q := r.URL.Query()
	format, err := oneOf("format", q.Get("format"), credentialFormats)
	if err != nil {
		return err
	}
	audience, err := oneOf("for", q.Get("for"), audiences)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	all, err := c.credentialsOf(r.Context(), env.ID, env, audience == "agent")
	if err != nil {
		return err
	}
	if format == "json" {
		httpkit.WriteJSON(w, http.StatusOK, all)
		return nil
	}
	needed, err := outfitOf(c.d, r, env)
	if err != nil {
		return err
	}
	if format == "env" {
		return needed.writeVariables(w, all["admin"])
	}
	httpkit.WriteJSON(w, http.StatusOK, object{"mcpServers": needed.tools})
	return nil
}

// oneOf returns the value of a query parameter, by default the first of the
// allowed ones.
func oneOf(name, value string, allowed []string) (string, error) {
	if value == "" {
		return allowed[0], nil
	}
	if !slices.Contains(allowed, value) {
		return "", environment.BadValue.At(name).Detailf("must be one of %s", strings.Join(allowed, ", "))
	}
	return value, nil
}

// outfit is the environment variables and tool servers for programs that use an
// environment.
type outfit struct {
	environment []environment.Variable
	tools       object // by service, in the form of MCP clients
}

// outfitOf returns the outfit for the services of an environment.
func outfitOf(d Deps, r *http.Request, env *environment.Environment) (out outfit, err error) {
	out.tools = object{}
	for _, s := range d.Environments.Platform.Services {
		connected, ok := env.Service(s.Name()).(environment.Connected)
		if !ok {
			continue
		}
		one, err := connected.Connection(r.Context(), d.BaseURL(env.ID, s.Name()))
		if err != nil {
			return out, err
		}
		out.environment = append(out.environment, one.Variables...)
		if one.Tools != nil {
			out.tools[s.Name()] = object{"type": "http", "url": one.Tools.URL, "headers": object{"Authorization": "Bearer " + one.Tools.Token}}
		}
	}
	out.environment = append(out.environment, environment.Variable{Name: "UNDERSTUDY_ENVIRONMENT", Value: env.ID},
		environment.Variable{Name: "UNDERSTUDY_BASE_URL", Value: strings.TrimSuffix(d.BaseURL(env.ID, ""), "/")},
		environment.Variable{Name: "UNDERSTUDY_CLOCK", Value: env.Clock.Now().Format(time.RFC3339Nano)})
	return out, nil
}

// writeVariables replies with lines NAME=value. admin is the member admin of the
// credentials object; nil for an agent.
func (o *outfit) writeVariables(w http.ResponseWriter, admin any) error {
	if admin, ok := admin.(map[string]any); ok {
		o.environment = append(o.environment, environment.Variable{Name: "UNDERSTUDY_ADMIN_URL", Value: admin["base_url"].(string)},
			environment.Variable{Name: "UNDERSTUDY_ADMIN_KEY", Value: admin["key"].(string)})
	}
	var b strings.Builder
	for _, v := range o.environment {
		b.WriteString(v.Name + "=" + v.Value + "\n")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := w.Write([]byte(b.String()))
	return err
}
