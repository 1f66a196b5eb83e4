package web

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/sheet"
)

// stepInput is the body of a step of an add-in with its run.
type stepInput struct{ fence int64 }

func (b *stepInput) members(o *bind.Object) {
	o.Required("fence")
	bind.Whole(o, "fence", &b.fence, 1)
}

// step reads a step with the path's run; in has the fence at.
func (s *Server) step(c *gin.Context, in body, fence *int64) (refresh.ClientStep, error) {
	run, err := s.runOrStop(c)
	if err != nil {
		return refresh.ClientStep{}, err
	}
	current(c).guard.still = func() error { _, err := s.readableRun(c); return err }
	if err := s.read(c, in); err != nil {
		return refresh.ClientStep{}, err
	}
	r := current(c)
	return refresh.ClientStep{Deployment: r.deployment(), Run: run, Fence: *fence, By: r.Caller.Actor}, nil
}

// runOrStop is readableRun for a step of who works on the run. Where they may not read its report any more, it stops the run, too.
func (s *Server) runOrStop(c *gin.Context) (*record.Run, error) {
	run, report, err := s.pathRun(c)
	if err != nil {
		return nil, err
	}
	r := current(c)
	if err := demand(levelOn(r.Caller, &report.Definition), mayRead, "run"); err != nil {
		if run.Executor == record.ExecutorClient && r.Caller.Is(run.RequestedBy.ID) {
			if ended := s.engine.Stop(c.Request.Context(), r.deployment(), run); ended != nil && !errors.Is(ended, queue.ErrEnded) {
				err = errors.Join(err, ended)
			}
		}
		return nil, err
	}
	return run, nil
}

// renewLease prolongs an add-in's hold on its run.
func (s *Server) renewLease(c *gin.Context) error {
	var in stepInput
	step, err := s.step(c, &in, &in.fence)
	if err != nil {
		return err
	}
	lease, err := s.engine.RenewClient(c.Request.Context(), step)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, gin.H{"runId": lease.RunID, "fence": lease.Fence, "leaseUntil": placements.Time(lease.Until)})
	return nil
}

// completeInput is the body of the end of a run by an add-in.
type completeInput struct {
	stepInput
	wrote     *checksum.ResultChecksum
	uncovered refresh.Uncovered
}

func (b *completeInput) members(o *bind.Object) {
	b.stepInput.members(o)
	o.Required("resultChecksum")
	bind.Pointer(o, "resultChecksum", &b.wrote, members.Checksum)
	o.WholeList("shownRows", &b.uncovered.Shown, 0, maxUncovered, 1)
	o.WholeList("vanishedRows", &b.uncovered.Vanished, 0, maxUncovered, 1)
}

// maxUncovered bounds the hidden rows that an add-in tells of.
const maxUncovered = 1000

// completeRun settles a run once its add-in has written what was planned.
func (s *Server) completeRun(c *gin.Context) error {
	var in completeInput
	step, err := s.step(c, &in, &in.fence)
	if err != nil {
		return err
	}
	if _, err := s.engine.CompleteClient(c.Request.Context(), step, *in.wrote, in.uncovered); err != nil {
		return err
	}
	run, err := s.readableRun(c) // as every reader sees it
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, run)
	return nil
}

// planInput is the body of a plan.
type planInput struct {
	stepInput
	sheet.Content
}

func (b *planInput) members(o *bind.Object) {
	b.stepInput.members(o)
	b.Content.Members(o)
}

func (b *planInput) rules(_ *Server, _ *gin.Context, f *bind.Faults) error {
	b.Content.Check(f)
	return nil
}

// planRun answers with what the add-in is to write to make the block of its run show the report's table, or with what else of the sheet it
// must send.
func (s *Server) planRun(c *gin.Context) error {
	in := planInput{}
	step, err := s.step(c, &in, &in.fence)
	if err != nil {
		return err
	}
	plan, err := s.engine.PlanClient(c.Request.Context(), step, in.Sheet())
	out := s.pace(c.Writer) // the query may have taken longer than any other answer
	if need, ok := errors.AsType[*refresh.NeedError](err); ok {
		c.JSON(http.StatusOK, gin.H{"need": sheet.NeedOf(need)})
		return nil
	}
	if err != nil {
		return planFault(err)
	}
	defer plan.Close()
	packed := newResultWriter(c, out)
	if err := sheet.WritePlan(c.Request.Context(), packed, plan); err == nil { // else the client is gone, and had its status
		_ = packed.Close()
	}
	return nil
}

// planFault is the answer to a plan that failed.
func planFault(err error) error {
	f, ok := errors.AsType[*placements.Fault](err)
	if ok && f.Class == placements.Conflict {
		return placements.Errorf(placements.CodeBlockConflict, "%s", f.Message).Because(err)
	}
	return resultFault(err)
}
