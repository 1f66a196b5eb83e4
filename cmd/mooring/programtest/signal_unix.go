//go:build unix

package programtest

import "syscall"

// Pause stops the process where it is, as a machine does that swaps or whose virtual machine is moved: it keeps its connections and
// answers nothing. A paused process can be killed.
func (p *Process) Pause() error { return p.Cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (p *Process) Resume() error { return p.Cmd.Process.Signal(syscall.SIGCONT) }
