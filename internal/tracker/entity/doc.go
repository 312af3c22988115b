// Package entity reads and writes versioned rows: kinds with their columns,
// filters compiled to SQL, ordered pages with cursors, and caches of rows and
// pages that are valid for a version.
//
// It depends on tables, columns and relations only as a Kind declares them: it
// contains no issue, team or user, and neither HTTP nor GraphQL.
package entity
