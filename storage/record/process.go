package record

import (
	"fmt"
	"time"
)

// Process is a process of this program that uses a storage.
type Process struct {
	ID        string    `json:"id"`
	Command   string    `json:"command"` // such as serve
	Host      string    `json:"host"`
	PID       int       `json:"pid,omitempty"` // 0: not known
	Version   string    `json:"version,omitempty"`
	StartedAt time.Time `json:"startedAt"`
}

// String names the process for people.
func (p Process) String() string {
	name := "mooring " + p.Command
	if p.Host != "" {
		name += " on " + p.Host
	}
	if p.PID != 0 {
		name += fmt.Sprintf(" (pid %d)", p.PID)
	}
	return name
}
