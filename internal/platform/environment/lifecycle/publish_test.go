package lifecycle

import (
	"context"
	"testing"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/store"
)

// A list that is read while environments are created asks for those that have
// just entered the catalogue: they must not be opened a second time.
func TestAnEnvironmentIsOpenedOnceWhenItAppears(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		e := open(t, s, &envtest.Probe{})
		defer func() { _ = e.Close() }()
		ctx := context.Background()
		made := make(chan *environment.Environment)
		go func() {
			defer close(made)
			for range 20 {
				env, err := e.Create(ctx, Create{Info: environment.Info{RateLimits: 1}})
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
						if found, err := e.Open(ctx, env.ID); err != nil || found != env {
							t.Errorf("%s is opened again: %v", env.ID, err)
						}
					default:
					}
					if _, err := (Overviews{e}).List(ctx, Selection{}, catalogue.Place{}, 100); err != nil {
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
