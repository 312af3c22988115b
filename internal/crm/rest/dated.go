package rest

import (
	"strings"
)

// Upstream names each generation of its API by a date in the path. These
// generations behave like v3 and v4, with two differences: ids of associations
// are strings, and removing associations in batches replies with 200 and an
// envelope.
var (
	dates         = []string{"2025-09", "2026-03", "2026-09"}
	oauthVersions = []string{"v3", "2026-03", "2026-09"}
)

// datedPrefixes maps the prefix of an undated pattern to that of the dated one.
var datedPrefixes = []struct{ undated, dated string }{
	{"/crm/v3/objects/{from}/{id}/associations/", ""}, // reads and writes of v3 associations have no dated form
	{"/crm/v3/associations/", ""},
	{"/crm/v3/objects/", "/crm/objects/{version}/"},
	{"/crm/v4/objects/", "/crm/objects/{version}/"},
	{"/crm/v4/associations/", "/crm/associations/{version}/"},
	{"/crm/v3/properties/", "/crm/properties/{version}/"},
	{"/crm/v3/pipelines/", "/crm/pipelines/{version}/"},
	{"/crm/v3/owners", "/crm/owners/{version}"},
	{"/crm-object-schemas/v3/", "/crm-object-schemas/{version}/"},
	{"/account-info/v3/details", "/account-info/{version}/details"},
	{"/account-info/v3/api-usage/", "/account-info/{version}/api-usage/"},
}

// datedForms returns the dated forms of routes.
func datedForms(table []route) (out []route) {
	for _, r := range table {
		for _, p := range datedPrefixes {
			tail, ok := strings.CutPrefix(r.pattern, p.undated)
			if !ok {
				continue
			}
			if p.dated != "" {
				r.pattern = p.dated + tail
				out = append(out, r)
			}
			break
		}
	}
	return out
}

// versions returns the paths of a pattern: one for each supported version.
func versions(pattern string) (paths []string) {
	for parameter, names := range map[string][]string{"{version}": dates, "{oauthVersion}": oauthVersions} {
		if strings.Contains(pattern, parameter) {
			for _, name := range names {
				paths = append(paths, strings.Replace(pattern, parameter, name, 1))
			}
			return paths
		}
	}
	return []string{pattern}
}
