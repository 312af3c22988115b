package runner

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a command with what it has started: they share a job, which Windows
// ends with this program. job is 0 where Windows refuses one; the command alone is
// ended then.
type group struct {
	cmd  *exec.Cmd
	job  windows.Handle
	once *sync.Once // closes the job
}

// startGroup starts a command that Ctrl-Break reaches, and puts it into a job. What
// the command starts before it is in the job stays outside.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	g := group{cmd: cmd, once: &sync.Once{}}
	if err := cmd.Start(); err != nil {
		return g, err
	}
	_ = cmd.Process.WithHandle(func(process uintptr) { g.job = jobOf(windows.Handle(process)) })
	return g, nil
}

// jobOf puts a process into a job that ends with its last handle, 0 where that
// fails.
func jobOf(process windows.Handle) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0
	}
	return job
}

// wait waits for the end of the command and ends what it has left behind.
func (g group) wait() error {
	err := g.cmd.Wait()
	g.kill()
	return err
}

// endStrays does nothing: a job ends with its command.
func endStrays(string) {}

// end asks the command to end, as Ctrl-Break does; where there is no console it
// is killed.
func (g group) end() {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid)) != nil {
		g.kill()
	}
}

// kill ends the command and what it has started.
func (g group) kill() {
	_ = g.cmd.Process.Kill()
	if g.job != 0 {
		g.once.Do(func() { _ = windows.CloseHandle(g.job) })
	}
}
