package background

import "sync"

// Share calls work in n goroutines, which share what feed hands over: each thing
// is received by one of them. It returns feed's error once all of it is worked
// on. A panic of work is repeated in the caller's goroutine, where a handler
// recovers from it.
func Share[T any](n int, work func(worker int, things <-chan T), feed func(do func(T)) error) error {
	things := make(chan T, 4*n)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed any
	for worker := range n {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					mu.Lock()
					failed = p
					mu.Unlock()
					for range things { // feed does not wait for a worker that is gone
					}
				}
			}()
			work(worker, things)
		})
	}
	err := func() error {
		defer all.Wait()
		defer close(things)
		return feed(func(thing T) { things <- thing })
	}()
	if failed != nil {
		panic(failed)
	}
	return err
}
