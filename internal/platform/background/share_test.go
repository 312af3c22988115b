package background

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestShareWorksOnEverythingOnce(t *testing.T) {
	var sum, workers atomic.Int64
	refused := errors.New("refused")
	err := Share(3, func(worker int, things <-chan int64) {
		workers.Add(int64(worker))
		for n := range things {
			sum.Add(n)
		}
	}, func(do func(int64)) error {
		for n := range int64(1001) {
			do(n)
		}
		return refused
	})
	if !errors.Is(err, refused) || sum.Load() != 500_500 || workers.Load() != 0+1+2 {
		t.Errorf("sum %d, workers %d, error %v", sum.Load(), workers.Load(), err)
	}
}

// A panic in a goroutine of its own would end the program.
func TestShareRepeatsPanics(t *testing.T) {
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = Share(2, func(_ int, things <-chan int) {
		for range things {
			panic("broken")
		}
	}, func(do func(int)) error {
		for n := range 100 {
			do(n)
		}
		return nil
	})
	t.Error("no panic")
}
