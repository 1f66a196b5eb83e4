package refresh

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/link"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// brokenHost is a host that answers in part as its members say, where these say so.
type brokenHost struct {
	host.Driver
	find  func() ([]host.Candidate, error, bool)
	prove func(id string) (error, bool)
}

func (b *brokenHost) Find(ctx context.Context, h host.Hint, tried map[string]bool, budget *host.Budget) ([]host.Candidate, error) {
	if b.find != nil {
		if list, err, yes := b.find(); yes {
			return list, err
		}
	}
	return b.Driver.(host.Finder).Find(ctx, h, tried, budget)
}

func (b *brokenHost) Prove(ctx context.Context, id string, budget *host.Budget) (host.Identity, error) {
	if b.prove != nil {
		if err, yes := b.prove(id); yes {
			return host.Identity{}, err
		}
	}
	return b.Driver.(host.Finder).Prove(ctx, id, budget)
}

var errBusy = &placements.Fault{Class: placements.Transient, Message: "busy"}

// breaks makes the engine's only host one that can break.
func (r *rig) breaks() *brokenHost {
	at := &r.engine.tenants["acme"].Hosts[0]
	b := &brokenHost{Driver: at.Driver}
	at.Driver = b
	return b
}

// planRig is a rig with a workbook of a SharePoint site, Plan.xlsx, that is linked.
type planRig struct {
	*rig
	fake  *graphfake.Server
	drive string
}

func newPlanRig(t *testing.T) planRig {
	t.Helper()
	r := newRig(t, storagetest.Open(t, "embedded"))
	p := planRig{r, r.team(), graphfake.DriveOf(teamSite, "Documents")}
	p.fake.AddTo(p.drive, "Plan.xlsx", "01PLAN", book.New(graphfake.Rows, graphfake.Columns, "Sheet1"))
	id := host.Identity{Document: addinDocument, Nonce: addinNonce}
	p.fake.Edit("01PLAN", func(b *book.Book) { b.AddName(book.Name{Name: host.DocumentName, Text: id.String(), Hidden: true}) })
	r.connectTo(addinDocument, "Sheet1!B2")
	r.linked(r.look(addinDocument, p.at("Plan.xlsx")))
	return p
}

// at is the ask of a pane that has a file of the library open.
func (p planRig) at(below string) link.Ask {
	return link.Ask{Nonce: addinNonce, Name: filepath.Base(below), URL: teamSite + "/Documents/" + below}
}

// proved has the document proved for the last time some time ago.
func (p planRig) proved(before time.Duration) {
	p.Helper()
	_, err := p.engine.records.Links().Change(p.Context(), "acme", addinDocument, func(l *record.Link) (work.LinkChange, error) {
		l.ProvedAt = placements.Time(time.Now().Add(-before))
		return work.LinkChange{}, nil
	})
	must(p.T, err)
}

// lookOften makes the looks before it is told what came of them, and one more.
func (r *rig) lookOften() {
	r.Helper()
	for range len(link.LookPauses) + 1 {
		must(r.T, r.engine.links.Look(r.Context(), "acme", addinDocument))
	}
}

func (r *rig) target() string {
	r.Helper()
	l, err := r.engine.records.Links().Of(r.Context(), "acme", addinDocument)
	must(r.T, err)
	return l.Target
}

// A user asks for a copy that is not there yet. What others placed since does not go into it.
func TestALinkIsJudgedByWhatIsPlacedThen(t *testing.T) {
	eachRig(t, func(r *rig) {
		ask := link.Ask{By: record.Actor{ID: 7}, MayLink: true, Nonce: addinNonce, Name: "late.xlsx", URL: "https://files.example/late.xlsx"}
		r.connectTo(addinDocument, "Sheet1!B2")
		if got := r.look(addinDocument, ask); got.State == record.LinkLinked {
			t.Fatal("a file that is not there is linked")
		}
		_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
			ExternalWorkbookID: addinDocument, ResultLocation: "Sheet1!K2", AddressOnly: true,
		}, record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}, nil, false)
		must(t, err)
		r.say("book.xlsx", addinDocument, addinNonce)
		r.copy("book.xlsx", "late.xlsx")
		must(t, r.engine.links.Look(t.Context(), "acme", addinDocument))
		if v, _ := r.engine.DocumentLink(t.Context(), "acme", addinDocument); v.State != record.LinkRefused || r.target() != "" {
			t.Errorf("each hour it is looked for, and then %s", v.State)
		}
	})
}

// What a user who may not link a document asks neither undoes that it was unlinked nor ends the looks of one who may.
func TestAReaderChangesNothingOfALink(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		late := link.Ask{Nonce: addinNonce, Name: "late.xlsx", URL: "https://files.example/late.xlsx"}
		reader := late
		reader.By.ID, reader.Again = 8, true
		r.look(addinDocument, late)
		r.lookAs(addinDocument, reader)
		r.say("book.xlsx", addinDocument, addinNonce)
		must(t, os.Rename(filepath.Join(r.dir, "book.xlsx"), filepath.Join(r.dir, "late.xlsx")))
		must(t, r.engine.links.Look(t.Context(), "acme", addinDocument))
		v, err := r.engine.DocumentLink(t.Context(), "acme", addinDocument)
		must(t, err)
		r.linked(v)
		_, err = r.engine.Unlink(t.Context(), "acme", addinDocument, record.Actor{ID: 9})
		must(t, err)
		if got := r.lookAs(addinDocument, reader); got.State == record.LinkLinked || !strings.Contains(got.Message, "may edit") {
			t.Errorf("for a reader, who looks again, it is %s: %s", got.State, got.Message)
		}
		if got := r.look(addinDocument, late); got.State == record.LinkLinked {
			t.Error("it is linked with the next start of a pane")
		}
	})
}

// While the linked file, or its host, does not answer, it is not known whether a file elsewhere is a copy.
func TestACopyIsUnknownWhileItsHostIsBusy(t *testing.T) {
	p := newPlanRig(t)
	h := p.breaks()
	for fact, breaks := range map[string]func(){
		"the linked file": func() { h.prove = func(id string) (error, bool) { return errBusy, id == "01PLAN" } },
		"the host":        func() { h.find = func() ([]host.Candidate, error, bool) { return nil, errBusy, true } },
	} {
		p.fake.Copy("01PLAN", p.drive, fact+".xlsx")
		breaks()
		ask := p.at(fact + ".xlsx")
		ask.By, ask.MayLink = record.Actor{ID: 7}, true
		_, err := p.engine.AskLink(t.Context(), "acme", addinDocument, ask)
		must(t, err)
		p.lookOften()
		if v, err := p.engine.AskLink(t.Context(), "acme", addinDocument, ask); err != nil || v.State != record.LinkLooking || v.Copy {
			t.Errorf("%s is busy: %s, copy %t, %v", fact, v.State, v.Copy, err)
		}
		h.prove, h.find = nil, nil
		ask.Again = true
		if got := p.look(addinDocument, ask); got.State != record.LinkLinked || !got.Copy {
			t.Errorf("%s answers again: %s, copy %t", fact, got.State, got.Copy)
		}
	}
}

// A name says nothing of the file that is open at an address: another file of that name is neither taken for it nor linked in its place.
func TestAFileOfTheNameIsNotTheOneAtTheAddress(t *testing.T) {
	p := newPlanRig(t)
	p.fake.Copy("01PLAN", p.drive, "Archive/Plan.xlsx")
	p.fake.Move("01PLAN", p.drive, "Plan 2027.xlsx")
	p.proved(link.LookHourly + time.Minute)
	p.look(addinDocument, p.at("Plan.xlsx"))
	p.lookOften()
	if got := p.look(addinDocument, p.at("Plan.xlsx")); got.Copy || got.State != record.LinkLinked {
		t.Errorf("the document, of which Excel says the former address: %s, copy %t", got.State, got.Copy)
	}
	p.fake.Remove("01PLAN")
	private := link.Ask{Nonce: addinNonce, Name: "Plan.xlsx", URL: "https://d.docs.live.net/1a2b/Plan.xlsx"}
	if got := p.look(addinDocument, private); got.State != record.LinkNotFound || p.target() != "01PLAN" {
		t.Errorf("the document, gone to a private drive: %s, linked to %s", got.State, p.target())
	}
}

// A file elsewhere is a copy while the linked one still is where it was. Once that is gone none is.
func TestACopyIsOneOnlyBesideItsOriginal(t *testing.T) {
	p := newPlanRig(t)
	p.fake.Copy("01PLAN", p.drive, "Plan2.xlsx")
	for name, copied := range map[string]bool{"Plan.xlsx": false, "Plan2.xlsx": true} {
		synced := link.Ask{Nonce: addinNonce, Name: name, URL: "https://d.docs.live.net/1a2b/" + name}
		if got := p.look(addinDocument, synced); got.State != record.LinkLinked || got.Copy != copied {
			t.Errorf("%s at an address that no host knows: %s, copy %t", name, got.State, got.Copy)
		}
	}
	if got := p.look(addinDocument, p.at("Plan2.xlsx")); !got.Copy {
		t.Errorf("in the library: %+v", got)
	}
	p.fake.Remove("01PLAN")
	reader := p.at("Plan2.xlsx")
	reader.By.ID, reader.Again = 8, true
	if got := p.lookAs(addinDocument, reader); got.State != record.LinkRefused || got.Copy {
		t.Errorf("the original is gone: %s, copy %t", got.State, got.Copy)
	}
}

// While there is more to look at no file is linked by its name, however often it is looked for; which of them have proved to be it is remembered.
func TestOfTwoFilesNoneIsLinkedByAnIncompleteLook(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		r.copy("book.xlsx", "copy.xlsx")
		looks, h := 0, r.breaks()
		h.find = func() ([]host.Candidate, error, bool) { // goes on where the budget ended
			looks++
			list := []host.Candidate{{ID: []string{"book.xlsx", "copy.xlsx"}[looks%2], Name: "book.xlsx"}}
			if looks > 6 {
				return list, nil, true
			}
			return list, host.ErrSpent, true
		}
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}); got.State != record.LinkNotFound || !strings.Contains(got.Message, "there may be another") {
			t.Errorf("after %d looks: %s, %s", looks, got.State, got.Message)
		}
		for looks < 7 {
			must(t, r.engine.links.Look(t.Context(), "acme", addinDocument))
		}
		if v, _ := r.engine.DocumentLink(t.Context(), "acme", addinDocument); v.State != record.LinkAmbiguous {
			t.Errorf("when all were looked at: %s, %s", v.State, v.Message)
		}
	})
}

// Where one host cannot be searched, what another one has is not said to be missing, and is linked once all can.
func TestAHostThatIsDownIsTold(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		one := r.engine.sites.Hosts["acme"][0]
		down := &brokenHost{Driver: one.Driver, find: func() ([]host.Candidate, error, bool) { return nil, errBusy, true }}
		one.Name = "share"
		r.hosts(Spreadsheets{Name: "down", Kind: placements.SheetsB, Driver: down}, one)
		ask := link.Ask{Nonce: addinNonce, Name: "book.xlsx"}
		if got := r.look(addinDocument, ask); got.State != record.LinkNotFound || !strings.Contains(got.Message, "A file was found") {
			t.Errorf("%s: %s", got.State, got.Message)
		}
		down.find = func() ([]host.Candidate, error, bool) { return nil, nil, true }
		ask.Again = true
		r.linked(r.look(addinDocument, ask))
	})
}

// What stands at the address of a file is known, whatever becomes of the hosts that do not have it.
func TestAHostThatIsDownHidesNoFileAtAnAddress(t *testing.T) {
	p := newPlanRig(t)
	one := p.engine.sites.Hosts["acme"][0]
	down := &brokenHost{Driver: one.Driver, find: func() ([]host.Candidate, error, bool) { return nil, errBusy, true }}
	p.hosts(Spreadsheets{Name: "down", Kind: placements.SheetsB, Driver: down}, one)
	p.fake.Copy("01PLAN", p.drive, "Plan2.xlsx")
	if got := p.look(addinDocument, p.at("Plan2.xlsx")); got.State != record.LinkLinked || !got.Copy {
		t.Errorf("a copy: %s, copy %t", got.State, got.Copy)
	}
}
