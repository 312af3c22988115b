package postgres_test

import (
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/postgres"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestExercise(t *testing.T) {
	storetest.Exercise(t, func(t *testing.T) func() (store.Store, error) {
		url := storetest.DatabaseURL(t)
		return func() (store.Store, error) { return postgres.Open(t.Context(), url) }
	})
}
