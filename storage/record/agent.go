package record

import "time"

// Agent is a process that works on runs, as it last told of itself.
type Agent struct {
	ID        string     `json:"id"` // its consumer name in the queues
	Host      string     `json:"host"`
	Version   string     `json:"version,omitempty"` // of the program
	StartedAt time.Time  `json:"startedAt"`
	Capacity  int        `json:"capacity"` // runs at work at once, at most
	Draining  bool       `json:"draining,omitempty"`
	Left      bool       `json:"left,omitempty"` // it has ended in order
	Runs      []AgentRun `json:"runs,omitempty"` // at work

	SeenAt time.Time `json:"-"` // when it told so, by the store's clock
	State  Presence  `json:"-"` // by the store's clock, when it was read
}

// AgentRun is a run at work.
type AgentRun struct {
	Tenant     string `json:"tenant"`
	Deployment int64  `json:"deployment"`
	RunID      string `json:"run"`
	ReportID   int64  `json:"report"`
	StartedAt  string `json:"startedAt"` // of its first attempt: RFC 3339, UTC, with milliseconds
}

// Presence says whether an agent is at work.
type Presence string

// The presences.
const (
	AgentAlive    Presence = "alive"
	AgentDraining Presence = "draining" // it takes nothing new, and ends what it has begun
	AgentGone     Presence = "gone"     // it has ended, or was not heard of for AgentSilence
)

// An agent that was not heard of for AgentSilence is shown as gone: others have taken what it had begun. It is forgotten after AgentMemory.
const (
	AgentSilence = 10 * time.Second
	AgentMemory  = 10 * time.Minute
)

// PresenceAt is the agent's presence at a time.
func (a *Agent) PresenceAt(now time.Time) Presence {
	switch {
	case a.Left || now.Sub(a.SeenAt) > AgentSilence:
		return AgentGone
	case a.Draining:
		return AgentDraining
	}
	return AgentAlive
}

// Backlog is what waits for agents, over all that use a storage, and who is there to do it.
type Backlog struct {
	Depth                int64 // entries of the queues: the runs that are queued or at work
	Active, Paused, Late int64 // schedules; late ones are active, and have a tick that was due for over a minute and has not fired
	Agents               int64 // alive
}
