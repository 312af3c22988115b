package rest

import (
	"bytes"
	"html/template"

	"understudy/internal/crm"
	"understudy/internal/platform/httpkit"
)

// consentRoutes are relative to the service's base URL, not to its API.
var consentRoutes = []route{
	{"GET", "/oauth/authorize", public, (*call).authorize},
	{"POST", "/oauth/authorize", public, (*call).consent},
}

var consentTemplate = template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Connect {{.Client}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem}
label{display:block;margin:.75rem 0}input{display:block;width:100%;padding:.5rem;box-sizing:border-box}
button{padding:.6rem 1.2rem}.error{color:#b00020}</style>
<h1>Connect {{.Client}}</h1>
<p>{{.Client}} asks for access to your portal:</p>
<ul>{{range .Scopes}}<li><code>{{.}}</code></li>{{end}}</ul>
{{with .Error}}<p class="error" role="alert">{{.}}</p>{{end}}
<form method="post">
<label>E-mail address <input type="email" name="email" autocomplete="username" required autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in and connect</button>
</form>
`))

func (c *call) consentPage(client crm.Client, in crm.Authorize, status int, problem string) error {
	if len(in.Scopes) == 0 {
		in.Scopes = crm.AllScopes
	}
	var page bytes.Buffer
	if err := consentTemplate.Execute(&page, struct {
		Client, Error string
		Scopes        []string
	}{client.Name, problem, in.Scopes}); err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	httpkit.SetPageHeaders(c.w, "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("Cache-Control", "no-store")
	return c.raw(status, page.Bytes())
}
