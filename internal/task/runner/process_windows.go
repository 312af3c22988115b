package runner

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a command with the processes that it has started: they share a job,
// which Windows ends with this program. If Windows refuses a job, job is 0 and
// only the command is ended.
type group struct {
	cmd  *exec.Cmd
	job  windows.Handle
	once *sync.Once // closes the job
}

// startGroup starts a command that receives Ctrl-Break, and adds it to a job.
// Processes that it starts before it is in the job stay outside.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	g := group{cmd: cmd, once: &sync.Once{}}
	if err := cmd.Start(); err != nil {
		return g, err
	}
	_ = cmd.Process.WithHandle(func(process uintptr) { g.job = jobOf(windows.Handle(process)) })
	return g, nil
}

// jobOf adds a process to a new job that ends with its last handle; 0 if that
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

// wait waits for the end of the command and ends the processes that it left.
func (g group) wait() error {
	err := g.cmd.Wait()
	g.kill()
	return err
}

// endStrays does nothing: a job ends with its command.
func endStrays(string) {}

// end sends Ctrl-Break to the command; without a console it kills it.
func (g group) end() {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid)) != nil {
		g.kill()
	}
}

// kill ends the command and the processes that it has started.
func (g group) kill() {
	_ = g.cmd.Process.Kill()
	if g.job != 0 {
		g.once.Do(func() { _ = windows.CloseHandle(g.job) })
	}
}
