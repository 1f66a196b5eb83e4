package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// Ask is what an add-in says of the document that it has open. None of it is believed.
type Ask struct {
	By      record.Actor
	MayEdit bool // every report placed there
	MayLink bool // agents may write the rows of every report placed there into the file that is found
	Nonce   string
	Name    string // of the file
	URL     string // where it has the document open; empty: it does not know
	Again   bool   // a person asked: also for a document that was unlinked
}

// Answer is what is told of where a document is. Times are RFC 3339, UTC, with milliseconds.
type Answer struct {
	ID       string                   `json:"id"`
	State    record.LinkState         `json:"state"`
	Host     string                   `json:"host,omitempty"` // the name of the spreadsheet host
	Name     string                   `json:"name,omitempty"`
	WebURL   string                   `json:"webUrl,omitempty"`
	ProvedAt string                   `json:"provedAt,omitempty"`
	By       string                   `json:"by,omitempty"` // record.LinkedByAgent or LinkedByAsked
	Since    string                   `json:"since,omitempty"`
	Message  string                   `json:"message"`
	Copy     bool                     `json:"copy,omitempty"`
	IDs      []string                 `json:"ids,omitempty"` // other ids of the document
	Merged   []record.MergedPlacement `json:"merged,omitempty"`
}

// Linker keeps where the documents are that add-ins have open: what they say, what looks have found, and what users unlinked. It is safe for
// concurrent use.
type Linker struct {
	Records *storage.Store
	Queue   *work.Work
	Sites   *site.Locator
	Log     *slog.Logger
	Lease   time.Duration // how long an agent that popped a look may take to begin it
}

// Document returns what is known of where the document is that an id names.
func (e *Linker) Document(ctx context.Context, tenant, document string) (Answer, error) {
	p, found, err := e.anyIn(ctx, tenant, document)
	if err != nil || !found {
		return Answer{ID: document, State: record.LinkNotFound, Message: "No report is placed in the spreadsheet: place one first."}, err
	}
	p.WorkbookID = document
	views, err := e.Views(ctx, tenant, []placements.Placement{p})
	if err != nil {
		return Answer{}, err
	}
	return views[0], nil
}

// anyIn returns a placement in the document that an id names.
func (e *Linker) anyIn(ctx context.Context, tenant, document string) (p placements.Placement, found bool, err error) {
	page, err := e.Records.Placements().InDocument(ctx, tenant, document, "", 1)
	if err != nil || len(page.Items) == 0 {
		return p, false, err
	}
	return page.Items[0].Placement, true, nil
}

// Views tells of documents, each named by a placement in it.
func (e *Linker) Views(ctx context.Context, tenant string, documents []placements.Placement) ([]Answer, error) {
	ids := make([]string, len(documents))
	for i, p := range documents {
		ids[i] = p.WorkbookID
	}
	links, err := e.Records.Links().OfAll(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	views := make([]Answer, len(documents))
	for i, p := range documents {
		if l := links[p.WorkbookID]; l != nil && (l.Target != "" || placements.AddinID(p.WorkbookID)) {
			views[i] = viewLink(p.WorkbookID, l)
		} else {
			views[i] = e.viewUnlinked(tenant, p)
		}
	}
	return views, nil
}

// viewLink tells of a link under an id of its document.
func viewLink(id string, l *record.Link) Answer {
	v := Answer{
		ID: id, State: l.State, Host: l.Spreadsheets, Name: l.Name, WebURL: l.WebURL, ProvedAt: l.ProvedAt, By: l.By, Since: l.Since,
		Message: l.Message, Merged: l.Merged,
	}
	for _, other := range l.IDs {
		if other != id {
			v.IDs = append(v.IDs, other)
		}
	}
	if l.State == record.LinkLinked {
		v.Message = fmt.Sprintf("Agents refresh this spreadsheet too (%s).", l.Spreadsheets)
	}
	return v
}

// viewUnlinked tells of a document without a link: it is reached by its own id, or by add-ins alone.
func (e *Linker) viewUnlinked(tenant string, p placements.Placement) Answer {
	v := Answer{ID: p.WorkbookID, State: record.LinkNotReached}
	switch {
	case !e.Sites.HasKind(tenant, p.Host):
		v.Message = NoHost(p.Host)
	case placements.AddinID(p.WorkbookID):
		v.State, v.Message = record.LinkNotFound, "It is not known yet where the workbook is: open its pane, or choose Look again there."
	default:
		ref := e.Sites.Of(tenant, p)
		if ref.Host == nil {
			v.State = record.LinkAmbiguous
			v.Message = "Several spreadsheet hosts may have it: it is known which one once it was refreshed, or place the report under an id that names the host."
			return v
		}
		v.State, v.Host = record.LinkLinked, ref.Where()
		v.Message = fmt.Sprintf("Agents refresh this spreadsheet too (%s).", ref.Where())
	}
	return v
}

func NoHost(kind placements.Host) string {
	of := "Excel workbooks"
	if kind == placements.SheetsA {
		of = "Google spreadsheets"
	}
	return "No agent reaches " + of + " here: refresh it while it is open, or ask who runs Mooring to configure a spreadsheet host for them."
}

// now is the engine's clock for what is not measured.
func (e *Linker) now() time.Time { return time.Now().UTC() }

// LookPauses are between the looks before which an add-in is not told what came of them, unless that is plain.
var LookPauses = []time.Duration{5 * time.Second, 15 * time.Second, time.Minute}

const (
	LookHourly = time.Hour      // how often it is looked for afterwards
	lookFor    = 24 * time.Hour // and how long
)

// Ask looks for the document that an add-in has open, and returns what is known of where it is, as that add-in is answered: it is being
// looked for while a look at what it said is under way. Errors: the *placements.Error CodeLooksLimit.
func (e *Linker) Ask(ctx context.Context, tenant, document string, ask Ask) (v Answer, err error) {
	if !placements.AddinID(document) {
		return e.Document(ctx, tenant, document)
	}
	address := host.ParseAddress(ask.URL)
	said := record.LinkAsk{
		MayEdit: ask.MayEdit, MayLink: ask.MayLink, Nonce: host.NonceHash(ask.Nonce), At: placements.Time(e.now()),
		Name: cmp.Or(ask.Name, address.Name), URL: address.URL(),
	}
	said.AskedBy(ask.By)
	known, err := e.Records.Links().Get(ctx, tenant, document)
	if err != nil {
		return Answer{}, err
	}
	if known != nil && !e.starts(known, said, ask.Again) {
		return e.answerTo(document, known, said), nil
	}
	l, err := e.Records.Links().Change(ctx, tenant, document, func(l *record.Link) (c work.LinkChange, err error) {
		if !e.starts(l, said, ask.Again) {
			return e.unchangedLook(l), nil
		}
		if l.Unlinked, l.Ask = false, &said; said.MayLink { // the nonce of another user is kept once the file shows it
			l.Nonce = cmp.Or(l.Nonce, said.Nonce)
		}
		if l.Target == "" {
			l.Home = document
		}
		if l.State != record.LinkLinked {
			l.State, l.Message = record.LinkLooking, "The workbook is being looked for."
		}
		return work.LinkChange{Look: e.now(), Looking: said.By}, nil
	})
	if refused, ok := errors.AsType[*placements.Error](err); ok && refused.Code == placements.CodeLooksLimit && known != nil && known.State == record.LinkLinked && !known.Asks(said) {
		l, err = known, nil // it is looked at again another time
	}
	if err != nil {
		return Answer{}, err
	}
	return e.answerTo(document, l, said), nil
}

// starts reports whether what an add-in says is a reason to look for its document.
func (e *Linker) starts(l *record.Link, said record.LinkAsk, again bool) bool {
	switch {
	case !l.Knows(said.Nonce) && !said.MayEdit, l.Unlinked && !(again && said.MayLink):
		return false
	case looking(l):
		return said.MayLink && !l.Ask.MayLink
	case l.State == record.LinkLinked && l.Knows(said.Nonce):
		within := LookHourly
		if l.Ask != nil && l.Ask.Unsure {
			within = toldFor
		}
		return again || (l.Asks(said) || provedBefore(l, said)) && !toldOf(l, said, within)
	case l.Ask != nil && l.Ask.MayLink && !said.MayLink && !e.lookedFor(l):
		return false // it is looked for each hour for a user who may link it
	}
	return again || !toldOf(l, said, toldFor)
}

// provedBefore reports whether it was so long ago that a document was proved to be where it is that another file may be there by now.
func provedBefore(l *record.Link, said record.LinkAsk) bool {
	at, err := time.Parse(time.RFC3339, l.ProvedAt)
	asked, err2 := time.Parse(time.RFC3339, said.At)
	return err == nil && err2 == nil && asked.Sub(at) > LookHourly
}

// toldFor is how long what came of a look is the answer to the same question, without another look.
const toldFor = time.Minute

// toldOf reports whether what an add-in asks was found out that recently.
func toldOf(l *record.Link, said record.LinkAsk, within time.Duration) bool {
	if l.Ask == nil || !sameAsk(*l.Ask, said) {
		return false
	}
	at, err := time.Parse(time.RFC3339, l.Ask.ToldAt)
	asked, err2 := time.Parse(time.RFC3339, said.At)
	return err == nil && err2 == nil && asked.Sub(at) < within
}

// looking reports whether it is not known yet what comes of the look that was asked for.
func looking(l *record.Link) bool { return l.Ask != nil && l.Ask.ToldAt == "" }

func sameAsk(a, b record.LinkAsk) bool {
	return a.URL == b.URL && a.Name == b.Name && a.Nonce == b.Nonce && (a.MayEdit || !b.MayEdit) && (a.MayLink || !b.MayLink)
}

// MergedFor is how long the pane of a document is told which placements became one: it asks at least each minute until it is.
const MergedFor = 5 * time.Minute

// answerTo is what is told an add-in of a link.
func (e *Linker) answerTo(document string, l *record.Link, said record.LinkAsk) Answer {
	v := viewLink(document, l)
	if at, err := time.Parse(time.RFC3339, l.MergedAt); err == nil && e.now().Sub(at) > MergedFor {
		v.Merged = nil
	}
	switch {
	case !l.Knows(said.Nonce) && !said.MayEdit:
		return Answer{ID: document, State: record.LinkRefused, Copy: l.State == record.LinkLinked, Message: "The workbook says another secret than it did at first: it is a copy, or an " +
			"older version of the file. Give it placements of its own, or have a person with edit access to its reports look again."}
	case l.Unlinked && !said.MayLink:
		v.Message = "It was unlinked. A user who may edit all reports that are placed there can look for it again."
	case l.State == record.LinkLinked && l.Ask != nil && l.Asks(said) && (looking(l) || l.Ask.Unsure && sameAsk(*l.Ask, said)):
		v.State, v.Message = record.LinkLooking, "The workbook is being looked for at its new address."
	case l.State == record.LinkLinked && slices.Contains(l.Copies, said.Where()):
		v.Copy = true
	}
	return v
}

// unchangedLook lets the look that is under way go on.
func (e *Linker) unchangedLook(l *record.Link) work.LinkChange {
	if !looking(l) {
		return work.LinkChange{Look: e.nextLook(l)}
	}
	return work.LinkChange{Look: e.now(), Looking: l.Ask.By}
}

// nextLook is when a document is looked for again; zero when it is not.
func (e *Linker) nextLook(l *record.Link) time.Time {
	if l.Ask == nil {
		return time.Time{}
	}
	if n := l.Ask.Tries; looking(l) && n > 0 && n <= len(LookPauses) {
		return e.now().Add(LookPauses[n-1])
	}
	if e.lookedFor(l) || l.State == record.LinkLinked && !looking(l) {
		return time.Time{}
	}
	return e.now().Add(LookHourly)
}

// lookedFor reports whether a document was looked for as long as one is.
func (e *Linker) lookedFor(l *record.Link) bool {
	asked, err := time.Parse(time.RFC3339, l.Ask.At)
	return err != nil || e.now().Sub(asked) > lookFor
}

// Unlink forgets where the document is that an id names: it is looked for again only when a person asks.
func (e *Linker) Unlink(ctx context.Context, tenant, document string, by record.Actor) (Answer, error) {
	l, err := e.Records.Links().Get(ctx, tenant, document)
	if err != nil {
		return Answer{}, err
	}
	if l == nil {
		return e.Document(ctx, tenant, document)
	}
	lease, release, err := e.lockLinked(ctx, tenant, l)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	ids, locked := l.IDs, false
	l, err = e.Records.Links().Change(lease, tenant, l.Identity, func(l *record.Link) (work.LinkChange, error) {
		unlink(l, "It was unlinked: choose Look again in its pane to have agents refresh it.")
		l.Unlinked = true
		locked = slices.Equal(l.Unsettled, append([]string(nil), ids...))
		return work.LinkChange{Look: e.now().Add(settleAgain), By: by}, nil
	})
	if err == nil && locked { // else an agent settles it, with the locks of what it has by now
		l, err = e.settled(lease, tenant, l)
	}
	if err != nil {
		return Answer{}, err
	}
	e.Log.Info("document unlinked", "tenant", tenant, "document", l.Identity, "user", by.ID)
	return e.Document(ctx, tenant, document)
}

// unlink makes l that of a document of which it is not known where it is.
func unlink(l *record.Link, message string) {
	l.State, l.Message, l.Ask = record.LinkNotFound, message, nil
	l.Unsettled = append(l.Unsettled, l.IDs...)
	l.IDs, l.Spreadsheets, l.Target, l.Path, l.Name, l.WebURL, l.ProvedAt, l.By = nil, "", "", "", "", "", "", ""
}

// settleAgain is when placements that do not follow a link are looked at again: who changed it makes them follow at once.
const settleAgain = 30 * time.Second

// settled makes placements follow a link, whose locks the caller holds.
func (e *Linker) settled(ctx context.Context, tenant string, l *record.Link) (*record.Link, error) {
	if len(l.Unsettled) == 0 {
		return l, nil
	}
	done := slices.Clone(l.Unsettled)
	merged, err := e.Records.Links().Settle(ctx, tenant, l)
	if err != nil {
		return l, err
	}
	return e.Records.Links().Change(ctx, tenant, l.Identity, func(l *record.Link) (work.LinkChange, error) {
		l.AddMerged(merged, placements.Time(e.now()))
		l.Unsettled = slices.DeleteFunc(l.Unsettled, func(id string) bool { return slices.Contains(done, id) })
		c := work.LinkChange{Look: e.nextLook(l)}
		if looking(l) {
			c.Looking = l.Ask.By
		}
		return c, nil
	})
}

// lockLinked takes the locks that the documents of links have under their ids, so that no run writes there meanwhile. Errors: a Transient
// *placements.Fault while one does. The lease ends when one of the locks may have been lost.
func (e *Linker) lockLinked(ctx context.Context, tenant string, links ...*record.Link) (lease context.Context, release func(), err error) {
	var names []string
	for _, l := range links {
		for _, id := range slices.Concat(l.IDs, l.Unsettled, []string{l.Identity}) {
			names = append(names, placements.Spellings(id)...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var held []func()
	release = func() {
		for _, free := range slices.Backward(held) {
			free()
		}
	}
	lease = ctx
	for _, name := range names {
		within, free, err := e.Sites.LockSoonAs(lease, tenant, name)
		if err != nil {
			release()
			return nil, nil, err
		}
		lease, held = within, append(held, free)
	}
	return lease, release, nil
}
