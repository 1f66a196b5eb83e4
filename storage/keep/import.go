package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Imports takes over the placements of another service.
type Imports struct {
	db     *engine.DB
	reader *layout.Reader
	sites  *layout.Sites
}

// NewImports returns the imports of a storage.
func NewImports(db *engine.DB, reader *layout.Reader, sites *layout.Sites) *Imports {
	return &Imports{db, reader, sites}
}

// Imported is a placement to import, and the id of its report.
type Imported struct {
	ReportID int64
	layout.Placed
}

// MaxImported is the most placements that can be imported at once: nothing else of the tenant is written meanwhile.
const MaxImported = 10_000

// Import records placements of a deployment's reports exactly as given, such as those that another service kept before
// placements had ids: without an id, with only a resultLocation as their address, with their stamps, claims and last runs. Only a host is
// filled in where none is named, as connect does, and edits are left out. All of list is recorded, in one step, or nothing. It publishes no
// events and leaves the reports' last refreshes alone.
//
// The error is a *placements.Error for what CheckImport finds.
func (s *Imports) Import(ctx context.Context, d record.Deployment, list []Imported, who record.Actor) error {
	if len(list) == 0 {
		return nil
	}
	to := layout.NewRecorder(s.db, new(engine.Transaction), s.db.Deployment(d), who)
	h, err := s.beginImport(ctx, to, list)
	if err != nil {
		return err
	}
	defer s.db.Unlock(ctx, h)
	return s.db.CommitLarge(ctx, h, to.Tx)
}

// Check finds every reason why list cannot be imported: placements of a report that does not exist, that name no spreadsheet, sheet
// and cell, or that no placement can be; two at one address of a report or of one id in a spreadsheet; those whose address or id another
// placement has already, or in a spreadsheet where the deployment may place nothing. The error is a *placements.Error whose details, of
// which there may be any number, point to the placements, such as /0.
func (s *Imports) Check(ctx context.Context, d record.Deployment, list []Imported) error {
	if len(list) == 0 {
		return nil
	}
	h, err := s.beginImport(ctx, layout.NewRecorder(s.db, new(engine.Transaction), s.db.Deployment(d), record.Actor{}), list)
	if err == nil {
		s.db.Unlock(ctx, h)
	}
	return err
}

// beginImport takes the locks of the reports and records list. An error leaves no lock held.
func (s *Imports) beginImport(ctx context.Context, to *layout.Recorder, list []Imported) (engine.Locks, error) {
	if len(list) > MaxImported {
		return engine.Locks{}, placements.Errorf(placements.CodeInvalid,
			"%d placements are too many: import at most %d at once.", len(list), MaxImported)
	}
	h, reports, err := s.lockReports(ctx, to.Keys, list)
	if err != nil {
		return engine.Locks{}, err
	}
	list, err = s.sitedImport(ctx, to, list)
	if err == nil {
		err = s.checkImport(ctx, to.Keys, list, reports)
	}
	if err == nil {
		err = importAll(to, list, reports)
	}
	if err != nil {
		s.db.Unlock(ctx, h)
		return engine.Locks{}, err
	}
	return h, nil
}

// sitedImport returns list with where the documents are, which the step needs to stay.
func (s *Imports) sitedImport(ctx context.Context, to *layout.Recorder, list []Imported) ([]Imported, error) {
	var documents []string
	for _, p := range list {
		documents = append(documents, p.WorkbookID)
	}
	slices.Sort(documents)
	sites := map[string]layout.DocumentSite{}
	for some := range slices.Chunk(slices.Compact(documents), importedTogether) {
		found, err := s.sites.OfAll(ctx, to.Keys.TenantKeys, some)
		if err != nil {
			return nil, err
		}
		for i, at := range found {
			sites[some[i]] = at
			at.Need(to.Tx, to.Keys.TenantKeys)
		}
	}
	list = slices.Clone(list)
	for i := range list {
		p := &list[i]
		if at := sites[p.WorkbookID]; at.Document != "" {
			p.SetPlacement(p.At(at.Whereabouts))
		}
	}
	return list, nil
}

// importedTogether is how many reports or placements an import reads at once.
const importedTogether = 200

// lockReports takes the locks of the reports of list and loads those that exist, some at a time, in an order that all imports share.
func (s *Imports) lockReports(ctx context.Context, k keys.DeploymentKeys, list []Imported) (engine.Locks, map[int64]*layout.Report, error) {
	reports := map[int64]*layout.Report{}
	var locks []string
	for _, p := range list {
		reports[p.ReportID] = nil
	}
	ids := slices.Sorted(maps.Keys(reports))
	for _, id := range ids {
		locks = append(locks, k.Locks().Report(id))
	}
	h := engine.NewLocks(locks...)
	locked := s.db.Renewer(h)
	for some := range slices.Chunk(ids, importedTogether) {
		err := s.lockSome(ctx, k, h, some, reports)
		if err = cmp.Or(err, locked.Renew(ctx)); err != nil {
			s.db.Unlock(ctx, h)
			return engine.Locks{}, nil, err
		}
	}
	return h, reports, nil
}

// lockSome takes the locks of some reports, under the token of h, and loads those that exist.
func (s *Imports) lockSome(ctx context.Context, k keys.DeploymentKeys, h engine.Locks, ids []int64, reports map[int64]*layout.Report) error {
	var locks, hashes []string
	for _, id := range ids {
		locks, hashes = append(locks, k.Locks().Report(id)), append(hashes, k.Report(id), k.Placements(id))
	}
	loaded, err := s.db.LockLoadAs(ctx, h.Part(locks), hashes)
	if err != nil {
		return err
	}
	for i, id := range ids {
		r, err := s.reader.Report(k, id, loaded[2*i], loaded[2*i+1])
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return err
		}
		reports[id] = r
	}
	return nil
}

// importAll records list.
func importAll(to *layout.Recorder, list []Imported, reports map[int64]*layout.Report) error {
	for _, p := range list {
		host, err := reports[p.ReportID].Definition.Host()
		if err != nil {
			return err
		}
		p.Host = cmp.Or(p.Host, host)
		p.Edits, p.RestoredAt, p.AsOf = nil, "", "" // of cells that no run of this service has seen
		if p.ID != "" {
			low, high := layout.Bounds("=" + p.ID)
			to.Tx.If(0, "ZLEXCOUNT", to.Keys.Document(p.Home()), low, high) // as checkImport found
		}
		to.RecordImport(reports[p.ReportID], &p.Placed)
	}
	return nil
}

// importFaults collects what is wrong with the placements of an import.
type importFaults struct {
	list []placements.Detail
	at   string // pointer of the placement that is looked at
}

func (f *importFaults) add(code placements.Code, format string, args ...any) {
	f.list = append(f.list, placements.Detail{Pointer: f.at, Code: code, Message: fmt.Sprintf(format, args...)})
}

// checkImport is CheckImport, under the locks of the reports.
func (s *Imports) checkImport(ctx context.Context, k keys.DeploymentKeys, list []Imported, reports map[int64]*layout.Report) error {
	taken, err := s.idsTaken(ctx, k, list)
	if err != nil {
		return err
	}
	var f importFaults
	seen := map[string]bool{}
	for i, p := range list {
		f.at = fmt.Sprintf("/%d", i)
		f.checkRecord(p)
		if again(seen, p) {
			f.add(placements.CodeInvalid,
				"One before it stands at %s too or has the id %q: leave one of the two out.", place(p.Placed), p.ID)
		}
		if r := reports[p.ReportID]; r == nil {
			f.add(placements.CodeNoReport, "Deployment %d has no report %d: name one that exists.", k.ID, p.ReportID)
		} else if taken[i] || r.StandsAt(p.Position().AddressKey) || r.HasSlot(p.Position().Slot) {
			f.add(placements.CodeAddressTaken,
				"A placement stands at %s or has the id %q already: leave this one out, or disconnect that.", place(p.Placed), p.ID)
		}
		if err := s.sites.Bounded(k.At(), p.Placement); err != nil {
			f.add(placements.CodeDocument, "%v", err)
		}
	}
	if f.list == nil {
		return nil
	}
	return &placements.Error{Code: f.list[0].Code, Message: "The placements cannot be imported: mend those named.", Details: f.list}
}

// idsTaken reports of each of list whether a placement in its spreadsheet, of whatever report, has its id already.
func (s *Imports) idsTaken(ctx context.Context, k keys.DeploymentKeys, list []Imported) (taken []bool, err error) {
	for some := range slices.Chunk(list, importedTogether) {
		p := s.db.Redis.Pipeline()
		counts := make([]*redis.IntCmd, len(some))
		for i, one := range some {
			from, to := layout.Bounds("=" + one.ID) // no placement has the empty one
			counts[i] = p.ZLexCount(ctx, k.Document(one.Home()), from, to)
		}
		if _, err := p.Exec(ctx); err != nil {
			return nil, redis.Unavailable(err)
		}
		for _, count := range counts {
			taken = append(taken, count.Val() > 0)
		}
	}
	return taken, nil
}

// again reports whether seen has the address or the id of p, and adds both.
func again(seen map[string]bool, p Imported) (twice bool) {
	at := layout.PositionOf(p.Placement)
	names := []string{fmt.Sprint(p.ReportID, "\taddress\t", at.AddressKey), fmt.Sprint(p.ReportID, "\tslot\t", at.Slot)}
	if p.ID != "" {
		names = append(names, p.WorkbookID+"\tid\t"+p.ID)
	}
	for _, name := range names {
		twice = twice || seen[name]
		seen[name] = true
	}
	return twice
}

// checkRecord adds what is wrong with one placement in itself.
func (f *importFaults) checkRecord(p Imported) {
	if _, ok := p.Address(); !ok || p.WorkbookID == "" {
		f.add(placements.CodeInvalid,
			"It names no spreadsheet, sheet and cell: give it a workbookId, and a sheetName and anchorCell or a resultLocation.")
	}
	for _, text := range []string{p.ID, p.WorkbookID, p.SheetID, p.SheetName, p.QueryChecksum} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			f.add(placements.CodeInvalid, "%q holds a control character: no id, name or checksum does.", text)
		}
	}
	for _, at := range []string{p.PlacedAt, p.RefreshedAt} {
		if _, err := time.Parse(time.RFC3339, at); at != "" && err != nil {
			f.add(placements.CodeInvalid, "%q is no time such as 2026-03-01T12:00:00.000Z.", at)
		}
	}
	if p.Host != "" && p.Host != placements.SheetsA && p.Host != placements.SheetsB {
		f.add(placements.CodeInvalid, "%q is no host: give it SHEETS_A or SHEETS_B, or none for that of its report.", p.Host)
	}
	if p.ResultChecksum != nil {
		if err := p.ResultChecksum.Validate(); err != nil {
			f.add(placements.CodeInvalid, "Its resultChecksum cannot be: %v.", err)
		}
	}
}

// place says where p stands.
func place(p layout.Placed) placements.Location {
	at := p.Position()
	return placements.Location{Sheet: at.Sheet, Anchor: at.Anchor, Rows: 1, Columns: 1}
}
