package sqlite

import (
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite"

	"understudy/internal/platform/store"
)

// SQLite's lower() supports only ASCII. PostgreSQL has both functions built in;
// store.Dialect.Lower and Fold return the SQL for both.
func init() {
	one := func(f func(string) string) func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if s, ok := args[0].(string); ok {
				return f(s), nil
			}
			return args[0], nil
		}
	}
	sqlite.MustRegisterDeterministicScalarFunction("understudy_lower", 1, one(strings.ToLower))
	sqlite.MustRegisterDeterministicScalarFunction("understudy_fold", 1, one(store.Fold))
}
