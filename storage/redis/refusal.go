package redis

import "strings"

// Refusal is the error of a server that answers and does not do what it is asked for a cause that time or an operator removes. It is
// ErrUnavailable too.
type Refusal struct {
	Name   string // one word, for metrics
	Reason string // a clause without a stop, such as "storage is full"
	Remedy string // sentences without the last stop: what goes on, and what an operator must do
}

func (r *Refusal) Error() string { return ErrUnavailable.Error() + ": " + r.Reason }

func (r *Refusal) Unwrap() error { return ErrUnavailable }

// The refusals of Redis, and two of a storage in this process.
var (
	ErrFull = &Refusal{
		Name:   "full",
		Reason: "storage is full",
		Remedy: "Reads go on; an operator must give Redis more memory (maxmemory)",
	}
	ErrNotSaving = &Refusal{
		Name:   "unsaved",
		Reason: "storage cannot save to its disk",
		Remedy: "Reads go on; an operator must find out why Redis cannot save: its log says, and often its disk is full",
	}
	ErrNoRoom = &Refusal{
		Name:   "full",
		Reason: "storage is full",
		Remedy: "Reads go on; an operator must make room on the disk of the data directory (--data)",
	}
	ErrNotKept = &Refusal{
		Name:   "unsaved",
		Reason: "storage cannot save to its disk",
		Remedy: "Reads go on; an operator must find out why the data directory (--data) cannot be written: the log says",
	}
	ErrReadOnly = &Refusal{
		Name:   "readonly",
		Reason: "storage is a replica, which takes no writes",
		Remedy: "An operator must name the primary in the configuration, or make this server the primary",
	}
	ErrFewReplicas = &Refusal{
		Name:   "replicas",
		Reason: "storage has fewer replicas than it wants for a write",
		Remedy: "Reads go on; an operator must bring replicas of Redis back, or lower its min-replicas-to-write",
	}
	ErrLoading = &Refusal{
		Name:   "loading",
		Reason: "storage is loading its data after a start",
		Remedy: "It takes time only",
	}
	ErrClusterDown = &Refusal{
		Name:   "cluster",
		Reason: "storage lacks a part of its cluster",
		Remedy: "An operator must bring back the nodes that are down",
	}
	ErrDenied = &Refusal{
		Name:   "denied",
		Reason: "storage does not let the service in",
		Remedy: "An operator must correct the user and the password of the storage in the configuration, or what that user may do",
	}
)

// refusals lists what the replies of each refusal begin with. A script's reply begins so too, since Redis 7.
var refusals = []struct {
	refusal *Refusal
	begins  []string
}{
	{ErrFull, []string{"OOM"}},
	{ErrNotSaving, []string{"MISCONF"}},
	{ErrNoRoom, []string{"NOROOM"}},
	{ErrNotKept, []string{"NOTKEPT"}},
	{ErrReadOnly, []string{"READONLY", "MASTERDOWN"}},
	{ErrFewReplicas, []string{"NOREPLICAS"}},
	{ErrLoading, []string{"LOADING"}},
	{ErrClusterDown, []string{"CLUSTERDOWN"}},
	{ErrDenied, []string{"NOAUTH", "WRONGPASS", "NOPERM", "DENIED", "ERR ACL failure in script", "ERR AUTH <password> called without"}},
}

// refusalOf returns the refusal that a reply is, nil for none.
func refusalOf(reply string) *Refusal {
	if text, old, ok := strings.Cut(reply, " -"); ok && strings.Contains(text, "@user_script") {
		reply = old // Redis 6 puts the place in the script before it
	}
	for _, r := range refusals {
		for _, begin := range r.begins {
			if strings.HasPrefix(reply, begin) {
				return r.refusal
			}
		}
	}
	return nil
}
