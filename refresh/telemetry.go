package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/record"
)

// What the log and traces say of runs. Neither holds what stands in cells: messages to users may, and stay with the run.

// maxNamed bounds the placements, and the documents, that a line of the log names.
const maxNamed = 20

// logRun writes the line of a run that has ended.
func logRun(ctx context.Context, log *slog.Logger, d record.Deployment, run *record.Run, documents []string) {
	level := slog.LevelInfo
	if run.State == placements.RunFailed {
		level = slog.LevelWarn
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("run", run.ID),
		slog.String("tenant", d.Tenant), slog.Int64("deployment", d.ID), slog.Int64("report", run.ReportID),
		slog.String("trigger", string(run.Trigger)), slog.String("state", string(run.State)),
	}
	if run.ScheduleID != 0 {
		attrs = append(attrs, slog.Int64("schedule", run.ScheduleID))
	}
	if run.ErrorClass != "" {
		attrs = append(attrs, slog.String("class", string(run.ErrorClass)))
	}
	attrs = append(attrs, slog.Any("documents", documents), slog.Any("placements", placementsNamed(run)),
		slog.Int("rows", run.Rows), slog.Int("rowsWritten", run.RowsWritten),
		slog.Int("attempt", run.Attempt), slog.Int64("durationMs", lasted(run).Milliseconds()))
	log.LogAttrs(ctx, level, "run", attrs...)
}

// lasted is how long an ended run took from its first attempt on.
func lasted(run *record.Run) time.Duration {
	began, err := time.Parse(time.RFC3339, run.StartedAt)
	ended, err2 := time.Parse(time.RFC3339, run.EndedAt)
	if errors.Join(err, err2) != nil {
		return 0 // it never began
	}
	return ended.Sub(began)
}

// placementsNamed are the ids of what a run has refreshed or tried to, the first of them.
func placementsNamed(run *record.Run) []string {
	var ids []string
	for _, p := range run.Placements[:min(len(run.Placements), maxNamed)] {
		ids = append(ids, p.PlacementID)
	}
	if len(ids) == 0 && run.PlacementID != "" {
		ids = append(ids, run.PlacementID)
	}
	return ids
}

// maxCause is how much of an error goes into a line of the log, in bytes.
const maxCause = 1 << 10

// faultLog is the faults of an attempt, for the log.
type faultLog struct {
	log    *slog.Logger
	outage *fault.Outage
	silent *fault.Silences
	traces context.Context // of the lines: the trace that the attempt is part of
	d      record.Deployment
	run    *record.Run
	list   []*loggedFault // not yet in the log
}

// loggedFault is a fault of an attempt, and the placements that failed with it.
type loggedFault struct {
	*placements.Fault
	placements []placements.Placement
	cause      string
}

// logFault collects a fault of the whole run for the log.
func (a *faultLog) logFault(f *placements.Fault) { a.faultOf(f) }

// logPlacementFault collects the fault of a placement for the log.
func (a *faultLog) logPlacementFault(p placements.Placement, f *placements.Fault) {
	one := a.faultOf(f)
	one.placements = append(one.placements, p)
}

// faultOf is the entry of a fault: one with the same cause is the same. What concerns a query, or cells, names them: that is shown with the
// run, and is no cause here.
func (a *faultLog) faultOf(f *placements.Fault) *loggedFault {
	cause := ""
	if f.Err != nil && f.Class != placements.Structure && f.Class != placements.Conflict {
		cause = shortened(f.Err.Error(), maxCause)
	}
	for _, one := range a.list {
		if one.Class == f.Class && one.cause == cause {
			return one
		}
	}
	one := &loggedFault{Fault: f, cause: cause}
	a.list = append(a.list, one)
	return one
}

// logFaults writes a line for each fault that was collected, with the documents and placements that it concerns.
func (a *faultLog) logFaults() {
	for _, f := range a.list {
		attrs := a.faultAttrs(f.Fault)
		if n := len(f.placements); n > 0 {
			attrs = append(attrs, slog.Any("documents", f.documents()), slog.Any("placements", f.ids()), slog.Int("failed", n))
		}
		if f.cause != "" {
			attrs = append(attrs, slog.String("cause", f.cause))
		}
		level, message := a.faultLevel(f.Fault), "refresh failed"
		if of := a.silences(f); len(of) > 0 {
			level = slog.LevelDebug
			for _, one := range of {
				if a.silent.Failed(one.subject, one.asked) {
					level, message = slog.LevelWarn, one.subject+" does not answer"
				}
			}
		}
		a.log.LogAttrs(a.traces, level, message, attrs...)
	}
	a.list = nil
}

// unanswered is what was asked of a source or host.
type unanswered struct{ subject, asked string }

// silences are what was not answered, if that is what a fault says: then the line of the silence stands for it.
func (a *faultLog) silences(f *loggedFault) (list []unanswered) {
	switch {
	case f.Class != placements.Transient || fault.Unclassified(f.Fault):
	case f.Reason == placements.ReasonSource:
		list = append(list, a.ofSource())
	case f.Reason == placements.ReasonMissing && !errors.Is(f.Fault, fs.ErrNotExist):
		for _, p := range f.placements {
			list = append(list, a.ofDocument(p))
		}
	}
	return list
}

// ofSource is what the run asks of its source.
func (a *faultLog) ofSource() unanswered {
	return unanswered{fmt.Sprintf("the source of deployment %d of %s", a.d.ID, a.d.Tenant), ""}
}

// ofDocument is what the run asks of the host of a placement.
func (a *faultLog) ofDocument(p placements.Placement) unanswered {
	return unanswered{fmt.Sprintf("the host %s of %s", cmp.Or(p.Spreadsheets, string(p.Host)), a.d.Tenant), p.Home()}
}

// answered notes that the run got an answer.
func (a *faultLog) answered(by unanswered) {
	a.silent.Answered(a.traces, a.log, by.subject, by.asked)
}

// faultLevel returns the level of the line of a fault.
func (a *faultLog) faultLevel(f *placements.Fault) slog.Level {
	switch {
	case f.Class == placements.Quota, a.outage.Caused(a.log, f.Err):
		return slog.LevelDebug
	case f.Class == placements.Transient && !fault.Unclassified(f):
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// ids names the first of the placements.
func (f *loggedFault) ids() (list []string) {
	for _, p := range f.placements[:min(len(f.placements), maxNamed)] {
		list = append(list, p.ID)
	}
	return list
}

// documents are those where the placements stand, the first of them.
func (f *loggedFault) documents() (list []string) {
	for _, p := range f.placements {
		if len(list) < maxNamed && !slices.Contains(list, p.WorkbookID) {
			list = append(list, p.WorkbookID)
		}
	}
	return list
}

// faultAttrs says in a line of the log of which run a fault is, and of which class.
func (a *faultLog) faultAttrs(f *placements.Fault) []slog.Attr {
	return []slog.Attr{
		slog.String("run", a.run.ID), slog.String("tenant", a.d.Tenant), slog.Int64("deployment", a.d.ID),
		slog.Int64("report", a.run.ReportID), slog.String("class", string(f.Class)),
	}
}

// unopened is f, or what users are told instead of it where no agent ever wrote the block: any user may place a report in a document of any
// name, and has edit access to a report of their own, but must not learn which files a folder has. The log has the fault itself.
func (a *faultLog) unopened(o *document.Receipt, f *placements.Fault) *placements.Fault {
	if o.Opened || !errors.Is(f, host.ErrUnopened) {
		return f
	}
	a.logUnopened(o.Recorded(), f)
	return &placements.Fault{
		Class: placements.Structure,
		Message: fmt.Sprintf("The spreadsheet %q cannot be opened: there is none, it is no sound .xlsx file, or the service may not read and write it. "+
			"Check its name, and save it as .xlsx without a password; or ask who runs the service: the log says what it is.", o.Recorded().WorkbookID),
	}
}

// logUnopened writes what is wrong with the document of a placement where the run does not say it.
func (a *faultLog) logUnopened(p storage.Placed, f *placements.Fault) {
	attrs := append(a.faultAttrs(f), slog.String("document", p.WorkbookID), slog.String("placement", p.ID),
		slog.String("fault", shortened(f.Message, maxCause)))
	if f.Err != nil {
		attrs = append(attrs, slog.String("cause", shortened(f.Err.Error(), maxCause)))
	}
	a.log.LogAttrs(a.traces, slog.LevelWarn, "spreadsheet cannot be opened", attrs...)
}

// shortened is s without what is beyond limit bytes.
func shortened(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
