package refresh

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/link"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

func TestAnAgentSaysWhichDocumentAFileIs(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connect("Sheet1!B2")
		r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		is := r.identity("book.xlsx")
		if is == (host.Identity{}) {
			t.Fatal("the file says nothing of itself")
		}
		view, err := r.engine.DocumentLink(t.Context(), "acme", is.Document)
		must(t, err)
		if r.linked(view); view.By != record.LinkedByAgent || !slices.Equal(r.in(is.Document), []string{p.ID}) {
			t.Errorf("under what it says there are %q, linked by %q", r.in(is.Document), view.By)
		}
		mine := r.connectTo(is.Document, "Sheet1!H2")
		if got := r.in("book.xlsx"); len(got) != 2 {
			t.Errorf("what an add-in has placed is not with what the agent had: %q, %s", got, mine.ID)
		}
		run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		if run.State != placements.RunSucceeded || len(run.Placements) != 2 {
			t.Errorf("run: %s %s", run.State, run.Error)
		}
		if r.identity("book.xlsx") != is {
			t.Error("the file says something else after the next write")
		}
		r.copy("book.xlsx", "copy.xlsx")
		r.connectTo("copy.xlsx", "Sheet1!M2")
		r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		if now := r.identity("copy.xlsx"); now == is || now == (host.Identity{}) || r.identity("book.xlsx") != is {
			t.Errorf("a copy says %v, and the original %v", now, r.identity("book.xlsx"))
		}
	})
}

// notWritten checks that a run leaves a file as it is, since that is not the document in which the report was placed.
func (r *rig) notWritten(fact, name string) {
	r.Helper()
	before := r.bytes(name)
	run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
	if run.State != placements.RunFailed || run.ErrorClass != placements.Structure || r.bytes(name) != before {
		r.Errorf("%s: the run is %s (%s: %s), and the file has %q", fact, run.State, run.ErrorClass, run.Error, r.cells(name))
	}
}

// An agent writes nothing into a file that is another document than the one that was linked.
func TestAFileThatIsAnotherDocumentNowIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		blank := r.bytes("book.xlsx")
		r.say("book.xlsx", addinDocument, addinNonce)
		r.linked(r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}))
		other := host.NewIdentity()
		r.say("book.xlsx", other.Document, other.Nonce)
		r.notWritten("it says that it is another", "book.xlsx")
		r.say("book.xlsx", addinDocument, other.Nonce)
		r.notWritten("it says another nonce", "book.xlsx")
		must(t, os.WriteFile(filepath.Join(r.dir, "book.xlsx"), []byte(blank), 0o644))
		r.notWritten("it says nothing and has no block", "book.xlsx")
		r.say("book.xlsx", addinDocument, addinNonce)
		r.succeeded(r.refresh(Request{Target: record.RunTarget{ReportID: r.report}}), 4)
	})
}

// A linked file of which a person or a program took out what it says of itself says so again with the next write, under a nonce that is known
// before it is written.
func TestAFileSaysAgainWhichDocumentItIs(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		refresh := func() *record.Run { return r.refresh(Request{Target: record.RunTarget{ReportID: r.report}}) }
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		r.linked(r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}))
		r.succeeded(refresh(), 4)
		r.edit("book.xlsx", func(f *excelize.File) {
			must(t, f.DeleteDefinedName(&excelize.DefinedName{Name: host.DocumentName}))
		})
		r.exec("UPDATE cities SET people = people + 1")
		if run := refresh(); run.State != placements.RunSucceeded {
			t.Fatalf("run: %s %s", run.State, run.Error)
		}
		is := r.identity("book.xlsx")
		if is.Document != addinDocument || is.Nonce == addinNonce || is.Nonce == "" {
			t.Fatalf("the file says %+v", is)
		}
		l, err := r.engine.records.Links().Of(t.Context(), "acme", addinDocument)
		must(t, err)
		if l.Nonce != NonceHash(is.Nonce) || l.Renewed != "" {
			t.Errorf("its nonce is recorded as %s, renewed %s", l.Nonce, l.Renewed)
		}
		// As when the process ended between the write and the record of it:
		_, err = r.engine.records.Links().Change(t.Context(), "acme", addinDocument, func(l *record.Link) (work.LinkChange, error) {
			l.Nonce, l.Renewed = NonceHash(addinNonce), l.Nonce
			return work.LinkChange{}, nil
		})
		must(t, err)
		fresh := New(Config{Store: r.engine.records, Tenants: r.engine.tenants})
		r.engine.attempts.documents, r.engine.attempts.gathering = fresh.attempts.documents, fresh.attempts.gathering
		r.exec("UPDATE cities SET people = people + 1")
		if run := refresh(); run.State != placements.RunSucceeded {
			t.Errorf("run: %s %s", run.State, run.Error)
		}
		r.linked(r.look(addinDocument, link.Ask{Nonce: is.Nonce, Name: "book.xlsx", URL: "https://files.example/book.xlsx"}))
	})
}

// Placements that were there before an agent said which document the file is, and later ones, are of one document: they meet each other.
func TestPlacementsBeforeAndAfterAFileSaysWhatItIsAreOfOneDocument(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		early := r.connect("Sheet1!B2")
		r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		late := r.connect("Sheet1!B8")
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "B14", "a note")) })
		r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		r.exec("INSERT INTO cities VALUES (4, 'Narvik', 14000)")
		run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report, PlacementID: early.ID}, Options: shiftRows(true)})
		if run.State != placements.RunSucceeded {
			t.Fatalf("run: %s %s", run.State, run.Error)
		}
		rep, err := r.engine.records.Reports().Get(t.Context(), r.d, r.report)
		must(t, err)
		i := slices.IndexFunc(rep.Placements, func(p storage.Placed) bool { return p.ID == late.ID })
		if is := rep.Placements[i]; is.ResultLocation != "Sheet1!B9" {
			t.Errorf("the later one stands at %s, want B9, as the first has grown by a row\n%q", is.ResultLocation, r.cells("book.xlsx"))
		}
	})
}
