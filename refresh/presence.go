package refresh

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"mooring/storage/record"
)

// goodbye is how long an agent tries to tell that it ends.
const goodbye = 2 * time.Second

// presence is what agents of this process have at work. It is safe for concurrent use.
type presence struct {
	mu   sync.Mutex
	runs map[string]record.AgentRun // at work, by id
}

// begin notes that the agent works on a run; end, that it does not any more.
func (p *presence) begin(d record.Deployment, run *record.Run) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs == nil {
		p.runs = map[string]record.AgentRun{}
	}
	p.runs[run.ID] = record.AgentRun{Tenant: d.Tenant, Deployment: d.ID, RunID: run.ID, ReportID: run.ReportID, StartedAt: run.StartedAt}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.runs, run.ID)
	}
}

// atWork lists the runs at work, the longest first.
func (p *presence) atWork() (list []record.AgentRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, run := range p.runs {
		list = append(list, run)
	}
	slices.SortFunc(list, func(a, b record.AgentRun) int {
		return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), cmp.Compare(a.RunID, b.RunID))
	})
	return list
}
