package understudytest_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"understudy/understudytest"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"UNDERSTUDY_ADMIN_URL", "UNDERSTUDY_ADMIN_KEY", "UNDERSTUDY_KEEP"} {
		_ = os.Unsetenv(name)
	}
	status := m.Run()
	understudytest.Stop()
	os.Exit(status)
}

// recorder is a testing.TB that writes down what a test is told.
type recorder struct {
	testing.TB // the methods that the helper does not call

	mu       sync.Mutex
	failed   bool
	said     strings.Builder
	cleanups []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Failed() bool      { r.mu.Lock(); defer r.mu.Unlock(); return r.failed }
func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Log(args ...any)   { r.say(false, fmt.Sprint(args...)) }
func (r *recorder) Error(args ...any) { r.say(true, fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any) { r.say(true, fmt.Sprint(args...)); runtime.Goexit() }
func (r *recorder) Logf(format string, args ...any) {
	r.say(false, fmt.Sprintf(format, args...))
}

func (r *recorder) say(failed bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || failed
	r.said.WriteString(text + "\n")
}

func (r *recorder) text() string { r.mu.Lock(); defer r.mu.Unlock(); return r.said.String() }

// record runs a test as its own goroutine does and returns what it was told.
func record(test func(t testing.TB)) *recorder {
	r := &recorder{}
	r.run(func() { test(r) })
	r.end()
	return r
}

// run runs a part of a test, which ends with the first Fatal.
func (r *recorder) run(f func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	<-done
}

// end runs what is to be cleaned up, the last first.
func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.run(r.cleanups[i])
	}
	r.cleanups = nil
}
