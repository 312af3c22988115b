package together_test

import (
	"errors"
	"sync"
	"testing"

	"understudy/test/load/together"
)

// Each caller is counted in one run, which ends before the caller returns, and runs
// do not overlap.
func TestEachCallerIsInOneRun(t *testing.T) {
	var (
		g             together.Group
		wg            sync.WaitGroup
		running, done int
	)
	for range 200 {
		wg.Go(func() {
			for range 50 {
				err := g.Do(func(callers int) error {
					if running++; running != 1 {
						t.Error("two runs at once")
					}
					done += callers
					running--
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if done != 200*50 {
		t.Errorf("the runs counted %d callers of %d", done, 200*50)
	}
	failed := errors.New("no space")
	if err := g.Do(func(int) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a failed run returns %v", err)
	}
}
