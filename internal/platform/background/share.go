package background

import "sync"

// Share calls work in n goroutines with a channel of the things that feed passes
// to do; each thing is received by one of them. It returns feed's error after all
// things are processed. It repeats a panic of work in the caller's goroutine,
// where a handler can recover from it.
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
					for range things { // drain, so that feed does not block on a worker that panicked
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
