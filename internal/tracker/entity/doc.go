// Package entity reads and writes rows that carry a version: kinds with their
// columns, filters compiled to SQL, ordered pages with cursors, and caches of
// rows and pages that are valid for a version.
//
// It knows tables, columns and relations as a Kind declares them, and nothing of
// their meaning: no issue, no team, no user. It knows neither HTTP nor GraphQL.
package entity
