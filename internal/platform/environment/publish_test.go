package environment

import (
	"context"
	"testing"

	"understudy/internal/platform/store/storetest"
)

// Whoever lists environments while others are made asks for those that entered
// the catalogue this very moment: they must not be opened a second time.
func TestAnEnvironmentIsOpenedOnceWhenItAppears(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return storetest.DatabaseURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			m := managerOn(t, url(t), t.TempDir(), &probe{})
			defer func() { _ = m.Close() }()
			ctx := context.Background()
			made := make(chan *Environment)
			go func() {
				defer close(made)
				for range 20 {
					env, err := m.Create(ctx, Create{RateLimits: 1})
					if err != nil {
						t.Error(err)
						return
					}
					made <- env
				}
			}()
			listed := make(chan struct{})
			for range 4 {
				go func() {
					defer func() { listed <- struct{}{} }()
					for {
						select {
						case env, ok := <-made:
							if !ok {
								return
							}
							if found, err := m.Open(ctx, env.ID); err != nil || found != env {
								t.Errorf("%s is opened again: %v", env.ID, err)
							}
						default:
						}
						if _, err := m.Overviews(ctx, "", 100); err != nil {
							t.Error(err)
							return
						}
					}
				}()
			}
			for range 4 {
				<-listed
			}
		})
	}
}
