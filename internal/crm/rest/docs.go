package rest

import (
	"net/http"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"understudy/internal/platform/apidocs"
)

var docsRoutes = []route{
	{"GET", "/health", public, (*call).health},
	{"GET", "/docs", public, (*call).docs},
	{"GET", "/docs/{asset}", public, (*call).docs},
	{"GET", "/openapi.json", public, (*call).docs},
}

func (c *call) health() error { return c.reply(http.StatusOK, map[string]string{"status": "ok"}) }

func (c *call) docs() error {
	if c.describe().Serve(c.w, c.r) {
		return nil
	}
	return errNoRoute
}

const bearer = "token"

// apiDocs describes the API from its tables. It is built on first use, for all
// environments.
var apiDocs = sync.OnceValue(func() *apidocs.Docs {
	api := apidocs.API{
		Title: "CRM",
		Description: "Contacts, companies, deals and tickets as records with property bags, associations between them, " +
			"property definitions, pipelines, owners and OAuth. Object types may be named by plural, singular or id: `contacts`, `contact`, `0-1`.",
		Refusal:     problem{},
		Credentials: []apidocs.Credential{{Name: bearer, Description: "A private-app token (`pat-na1-`), an OAuth access token, or the JWT of a login."}},
	}
	add := func(prefix string, table []route) {
		for _, r := range table {
			api.Operations = append(api.Operations, r.operation(prefix))
		}
	}
	add("/api", routes)
	add("", consentRoutes)
	return apidocs.New(api)
})

// operation describes a route.
func (row route) operation(prefix string) apidocs.Operation {
	name := row.name()
	o := apidocs.Operation{Pattern: row.method + " " + prefix + row.pattern, ID: operationID(row.method, prefix+row.pattern), Group: row.group(),
		Summary: sentence(name), Replies: map[int]any{}, Refusals: []int{400, 404, 500}}
	if row.access != public {
		o.Credentials = []string{bearer}
		o.Refusals = append(o.Refusals, 401, 403, 429)
	}
	if s, ok := shapes[name]; ok {
		o.Body, o.Parameters = s.body, s.parameters
		for status, reply := range s.replies {
			o.Replies[status] = reply
		}
		return o
	}
	o.Replies[http.StatusNoContent] = nil
	return o
}

// name returns the name of the route's handler.
func (row route) name() string {
	full := runtime.FuncForPC(reflect.ValueOf(row.handle).Pointer()).Name()
	return full[strings.LastIndexByte(full, '.')+1:]
}

// group returns the section of the docs for a route.
func (row route) group() string {
	parts := strings.Split(strings.Trim(row.pattern, "/"), "/")
	if parts[0] != "crm" || len(parts) < 3 {
		return parts[0]
	}
	if strings.Contains(row.pattern, "/associations/") {
		return "associations"
	}
	return parts[2]
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

func operationID(method, pattern string) string {
	return strings.ToLower(method) + strings.Trim(notWord.ReplaceAllString(pattern, "_"), "_")
}

var upper = regexp.MustCompile(`[A-Z]`)

// sentence converts "batchRead" to "Batch read".
func sentence(name string) string {
	s := upper.ReplaceAllStringFunc(name, func(l string) string { return " " + strings.ToLower(l) })
	return strings.ToUpper(s[:1]) + s[1:]
}
