package sqlite_test

import (
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite"
	"understudy/internal/platform/store/storetest"
)

func TestExercise(t *testing.T) {
	storetest.Exercise(t, func(t *testing.T) func() (store.Store, error) {
		dir := t.TempDir()
		return func() (store.Store, error) { return sqlite.Open(dir) }
	})
}
