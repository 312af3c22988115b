// Package entity reads and writes rows that carry a version: kinds with their
// columns, filters compiled to SQL, ordered pages with cursors, and the caches
// that remember rows and pages for as long as their versions stand.
//
// It knows tables, columns and relations as a Kind declares them, and nothing
// of what they mean: no issue, no team, no user. It knows neither HTTP nor
// GraphQL.
package entity
