package console

import "testing"

// Two functions that run together have both ended when together returns or panics.
func TestTogetherEndsWithBoth(t *testing.T) {
	for name, panics := range map[string][2]bool{"none": {}, "the first": {true, false}, "the second": {false, true}, "both": {true, true}} {
		firstEnded, secondEnded, failed := false, false, any(nil)
		second := make(chan bool)
		func() {
			defer func() { failed = recover() }()
			together(func() {
				<-second // it ends after the other one
				firstEnded = true
				if panics[0] {
					panic("first")
				}
			}, func() {
				secondEnded = true
				close(second)
				if panics[1] {
					panic("second")
				}
			})
		}()
		if !firstEnded || !secondEnded || (failed != nil) != (panics[0] || panics[1]) {
			t.Errorf("with a panic of %s: ended %v and %v, panic %v", name, firstEnded, secondEnded, failed)
		}
	}
}
