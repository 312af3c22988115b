package runner

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starter returns a channel of functions that run one after another on one thread
// of the system, which lasts as long as the program. The system kills a child
// when the thread that has started it ends.
var starter = sync.OnceValue(func() chan<- func() {
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

// startChild starts a command that is killed when this program ends, even when it
// is killed itself.
func startChild(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}
