package refresh

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/link"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

const (
	addinDocument = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	addinNonce    = "nonce-of-the-document"
)

// say has a workbook say which document it is, as an add-in does.
func (r *rig) say(name, document, nonce string) {
	r.Helper()
	r.edit(name, func(f *excelize.File) {
		_ = f.DeleteDefinedName(&excelize.DefinedName{Name: host.DocumentName})
		must(r.T, f.SetDefinedName(&excelize.DefinedName{Name: host.DocumentName, RefersTo: host.Identity{Document: document, Nonce: nonce}.Formula()}))
	})
}

// identity is what a workbook says of itself.
func (r *rig) identity(name string) host.Identity {
	r.Helper()
	id, err := r.engine.tenants["acme"].Hosts[0].Driver.(host.Finder).Prove(r.Context(), name, nil)
	must(r.T, err)
	return id
}

// look asks for the document and looks for it until it is told what came of that, for a user who may link it.
func (r *rig) look(document string, ask link.Ask) link.Answer {
	r.Helper()
	ask.MayLink = true
	return r.lookAs(document, ask)
}

// lookAs is look for a user who may do what the ask says.
func (r *rig) lookAs(document string, ask link.Ask) link.Answer {
	r.Helper()
	ask.By.ID = max(ask.By.ID, 7)
	view, err := r.engine.AskLink(r.Context(), "acme", document, ask)
	must(r.T, err)
	ask.Again = false // a person asks once
	for range len(link.LookPauses) + 2 {
		if view.State != record.LinkLooking {
			return view
		}
		must(r.T, r.engine.links.Look(r.Context(), "acme", document))
		view, err = r.engine.AskLink(r.Context(), "acme", document, ask)
		must(r.T, err)
	}
	r.Fatalf("the document is still %s: %s", view.State, view.Message)
	return view
}

// in are the ids of the placements in a document, by the id that names it.
func (r *rig) in(document string) (ids []string) {
	r.Helper()
	page, err := r.engine.records.Placements().InDocument(r.Context(), "acme", document, "", 100)
	must(r.T, err)
	for _, p := range page.Items {
		ids = append(ids, p.Placement.ID)
	}
	return ids
}

func (r *rig) linked(view link.Answer) {
	r.Helper()
	if view.State != record.LinkLinked {
		r.Fatalf("the document is %s (%s), want linked", view.State, view.Message)
	}
}

func TestADocumentOfAnAddinIsReachedOnceItIsLinked(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connectTo(addinDocument, "Sheet1!B2")
		if !r.engine.sites.AddinOnly("acme", p) {
			t.Error("an agent reaches a document that has no link")
		}
		r.say("book.xlsx", addinDocument, addinNonce)
		ask := link.Ask{By: record.Actor{ID: 7}, MayLink: true, Nonce: addinNonce, Name: "book.xlsx"}
		first, err := r.engine.AskLink(t.Context(), "acme", addinDocument, ask)
		must(t, err)
		if first.State != record.LinkLooking {
			t.Errorf("at first it is %s, want looking", first.State)
		}
		stop := r.serve()
		for until := time.Now().Add(waitLimit); first.State == record.LinkLooking && time.Now().Before(until); {
			time.Sleep(10 * time.Millisecond) // an agent finds that it is due
			first, err = r.engine.DocumentLink(t.Context(), "acme", addinDocument)
			must(t, err)
		}
		r.linked(first)
		stop()
		r.linked(r.look(addinDocument, ask))
		if run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report}}); run.State != placements.RunSucceeded {
			t.Fatalf("run: %s %s", run.State, run.Error)
		}
		if diff := cmp.Diff([]string{"Cities", "|name|people|||=SUM(C3:C9)"}[:1], r.cells("book.xlsx")[:1]); diff != "" || len(r.cells("book.xlsx")) < 4 {
			t.Errorf("the workbook has %q", r.cells("book.xlsx"))
		}
		for _, id := range []string{addinDocument, "book.xlsx", ":book.xlsx"} {
			if got := r.in(id); !slices.Equal(got, []string{p.ID}) {
				t.Errorf("under %q there are %q, want %s", id, got, p.ID)
			}
			run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report, ExternalWorkbookID: id}})
			if run.State != placements.RunSucceeded || len(run.Placements) != 1 {
				t.Errorf("a refresh of what is in %q: %s %s, %d placements", id, run.State, run.Error, len(run.Placements))
			}
		}
		report, err := r.engine.records.Reports().Get(t.Context(), r.d, r.report)
		must(t, err)
		if got := report.Placements[0]; got.WorkbookID != addinDocument || r.engine.sites.AddinOnly("acme", got.Placement) {
			t.Errorf("it is recorded in %s, and reached by add-ins only: %t", got.WorkbookID, r.engine.sites.AddinOnly("acme", got.Placement))
		}
		again := r.connectTo("book.xlsx", "Sheet1!B2")
		if again.ID != p.ID || again.WorkbookID != addinDocument {
			t.Errorf("a connect under the file's name made %s in %s, want %s again", again.ID, again.WorkbookID, p.ID)
		}
	})
}

func TestPlacementsOfALinkedDocumentBecomeOne(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		early := r.connectTo("book.xlsx", "Sheet1!B2")
		r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		late := r.connectTo(addinDocument, "Sheet1!B2")
		other := r.connectTo(addinDocument, "Sheet1!H2")
		r.say("book.xlsx", addinDocument, addinNonce)
		view := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"})
		r.linked(view)
		want := []record.MergedPlacement{{DeploymentID: 1, ReportID: r.report, PlacementID: late.ID, Into: early.ID}}
		if diff := cmp.Diff(want, view.Merged); diff != "" {
			t.Errorf("merged (-want +got):\n%s", diff)
		}
		_, err := r.engine.records.Links().Change(t.Context(), "acme", addinDocument, func(l *record.Link) (work.LinkChange, error) {
			l.MergedAt = placements.Time(time.Now().Add(-link.MergedFor - time.Second))
			return work.LinkChange{}, nil
		})
		must(t, err)
		if later := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}); later.State != record.LinkLinked || len(later.Merged) > 0 {
			t.Errorf("a pane that is opened later is told of %+v", later.Merged)
		}
		for _, id := range []string{addinDocument, "book.xlsx"} {
			got := r.in(id)
			slices.Sort(got)
			both := []string{early.ID, other.ID}
			slices.Sort(both)
			if !slices.Equal(got, both) {
				t.Errorf("under %q there are %q, want %q", id, got, both)
			}
		}
		run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report, PlacementID: late.ID}})
		if run.State != placements.RunSucceeded || len(run.Placements) != 1 || run.Placements[0].PlacementID != early.ID {
			t.Errorf("a refresh of the one that is gone: %+v %s", run.State, run.Error)
		}
		_, removed, err := r.engine.records.Placements().Disconnect(t.Context(), r.d, r.report, placements.Target{PlacementID: late.ID}, record.Actor{ID: 7}, nil, false)
		if must(t, err); removed == nil || !slices.Equal(r.in("book.xlsx"), []string{other.ID}) {
			t.Errorf("a disconnect of the one that is gone removed %s and left %q", removed, r.in("book.xlsx"))
		}
	})
}

func TestWhatALookRefuses(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		address := "https://files.example/plan/book.xlsx"
		for _, row := range []struct {
			fact string
			ask  link.Ask
			want record.LinkState
		}{
			{"no file has the name", link.Ask{Nonce: addinNonce, Name: "none.xlsx"}, record.LinkNotSaved},
			{"the file says nothing", link.Ask{Nonce: addinNonce, Name: "book.xlsx", URL: address}, record.LinkNotReached},
		} {
			if got := r.look(addinDocument, row.ask); got.State != row.want || got.Message == "" {
				t.Errorf("%s: %s (%s), want %s", row.fact, got.State, got.Message, row.want)
			}
		}
		r.say("book.xlsx", addinDocument, "another-nonce-of-it")
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx", URL: address}); got.State != record.LinkNotReached {
			t.Errorf("a file with another nonce: %s", got.State)
		}
		if got := r.look(addinDocument, link.Ask{Nonce: "another-nonce-of-it", Name: "book.xlsx"}); got.State != record.LinkRefused {
			t.Errorf("another nonce than the first: %s, want refused", got.State)
		}
		r.linked(r.look(addinDocument, link.Ask{Nonce: "another-nonce-of-it", Name: "book.xlsx", MayEdit: true}))
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}); got.State != record.LinkRefused || !got.Copy {
			t.Errorf("another nonce than that of the linked file: %s, copy %t", got.State, got.Copy)
		}
	})
}

// Where no host has workbooks of the kind, saving one does not help, whether it has an address or not.
func TestWithoutAHostItIsSaidWhoHelps(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.hosts()
		for _, url := range []string{"", "https://files.example/book.xlsx"} {
			got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx", URL: url})
			if got.State != record.LinkNotReached || got.Message != link.NoHost(placements.SheetsB) {
				t.Errorf("at %q: %s (%s)", url, got.State, got.Message)
			}
		}
	})
}

func TestCopiesAreToldAndMovesFollowed(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		r.linked(r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx", URL: "https://files.example/book.xlsx"}))
		r.copy("book.xlsx", "copy.xlsx")
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "copy.xlsx", URL: "https://files.example/copy.xlsx"}); !got.Copy || got.State != record.LinkLinked {
			t.Errorf("a copy: %+v", got)
		}
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx", URL: "https://files.example/book.xlsx"}); got.Copy {
			t.Error("the document itself is taken for a copy")
		}
		must(t, os.Rename(filepath.Join(r.dir, "book.xlsx"), filepath.Join(r.dir, "copy.xlsx")))
		again := link.Ask{Nonce: addinNonce, Name: "copy.xlsx", URL: "https://files.example/copy.xlsx", Again: true}
		if got := r.look(addinDocument, again); got.Copy || got.State != record.LinkLinked || got.Name != "copy.xlsx" {
			t.Errorf("the document, moved to where a copy was: %+v", got)
		}
		must(t, os.Rename(filepath.Join(r.dir, "copy.xlsx"), filepath.Join(r.dir, "book.xlsx")))
		r.linked(r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx", URL: "https://files.example/book.xlsx", Again: true}))
		must(t, r.engine.links.Look(t.Context(), "acme", addinDocument)) // where it was before, it is looked for behind the answer
		r.copy("book.xlsx", "copy.xlsx")
		must(t, os.Remove(filepath.Join(r.dir, "copy.xlsx")))
		must(t, os.Rename(filepath.Join(r.dir, "book.xlsx"), filepath.Join(r.dir, "moved.xlsx")))
		if got := r.lookAs(addinDocument, link.Ask{By: record.Actor{ID: 8}, Nonce: addinNonce, Name: "moved.xlsx", URL: "https://files.example/moved.xlsx"}); got.State != record.LinkRefused {
			t.Errorf("a move that a person asks about who placed nothing there: %s", got.State)
		}
		r.linked(r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "moved.xlsx", URL: "https://files.example/moved.xlsx"}))
		if run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report}}); run.State != placements.RunSucceeded || len(r.cells("moved.xlsx")) < 4 {
			t.Errorf("run: %s %s, the workbook has %q", run.State, run.Error, r.cells("moved.xlsx"))
		}
		if got := r.in("book.xlsx"); len(got) != 1 {
			t.Errorf("under its former name there are %q", got)
		}
	})
}

func (r *rig) copy(from, to string) {
	r.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, from))
	must(r.T, err)
	must(r.T, os.WriteFile(filepath.Join(r.dir, to), data, 0o644))
}

func TestTwoFilesThatAreTheDocumentAreAmbiguous(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		must(t, os.Mkdir(filepath.Join(r.dir, "old"), 0o755))
		r.copy("book.xlsx", "old/book.xlsx")
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}); got.State != record.LinkAmbiguous {
			t.Errorf("%s (%s), want ambiguous", got.State, got.Message)
		}
	})
}

func TestAnUnlinkedDocumentIsLinkedOnlyWhenAPersonAsks(t *testing.T) {
	eachRig(t, func(r *rig) {
		early := r.connectTo("book.xlsx", "Sheet1!H2")
		late := r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		ask := link.Ask{Nonce: addinNonce, Name: "book.xlsx"}
		r.linked(r.look(addinDocument, ask))
		_, err := r.engine.Unlink(t.Context(), "acme", addinDocument, record.Actor{ID: 7})
		must(t, err)
		if a, b := r.in(addinDocument), r.in("book.xlsx"); !slices.Equal(a, []string{late.ID}) || !slices.Equal(b, []string{early.ID}) {
			t.Errorf("unlinked, there are %q and %q", a, b)
		}
		if got := r.look(addinDocument, ask); got.State == record.LinkLinked {
			t.Error("it is linked again though no person asked")
		}
		ask.Again = true
		r.linked(r.look(addinDocument, ask))
	})
}

// A document that agents know by its file is refreshed under the id that they gave it too, which its placements do not have.
func TestARefreshUnderTheIDThatAnAgentGave(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.refresh(Request{Target: record.RunTarget{ReportID: r.report}})
		is := r.identity("book.xlsx")
		for _, id := range []string{is.Document, strings.ToUpper(is.Document), "book.xlsx"} {
			run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report, ExternalWorkbookID: id}})
			if run.State != placements.RunSucceeded || len(run.Placements) != 1 || run.ExternalWorkbookID != id {
				t.Errorf("under %s: %s %s, %d placements", run.ExternalWorkbookID, run.State, run.Error, len(run.Placements))
			}
		}
		run, err := r.engine.Execute(t.Context(), r.d, Request{
			Target: record.RunTarget{ReportID: r.report, ExternalWorkbookID: is.Document}, By: record.Actor{ID: 7},
		})
		must(t, err)
		if run.State != placements.RunSucceeded || len(run.Placements) != 1 {
			t.Errorf("executed: %s %s, %d placements", run.State, run.Error, len(run.Placements))
		}
	})
}

// A document is one in whatever case its UUID was recorded, placed or said, and goes on being shown as it was recorded.
func TestADocumentIsLinkedInAnyCase(t *testing.T) {
	t.Parallel()
	upper := strings.ToUpper(addinDocument)
	for fact, ids := range map[string]struct{ placed, asked, said string }{
		"recorded in upper case":       {upper, upper, addinDocument},
		"said in upper case":           {addinDocument, addinDocument, upper},
		"recorded in one of each case": {upper, addinDocument, addinDocument},
	} {
		t.Run(fact, func(t *testing.T) {
			eachRig(t, func(r *rig) {
				p, q := r.connectTo(ids.placed, "Sheet1!B2"), r.connectTo(ids.asked, "Sheet1!H2")
				r.say("book.xlsx", ids.said, addinNonce)
				r.linked(r.look(ids.asked, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}))
				late := r.connectTo("book.xlsx", "Sheet1!M2")
				want := slices.Sorted(slices.Values([]string{p.ID, q.ID, late.ID}))
				for _, id := range []string{upper, addinDocument, "book.xlsx"} {
					if got := slices.Sorted(slices.Values(r.in(id))); !slices.Equal(got, want) {
						t.Errorf("under %s there are %q, want %q", id, got, want)
					}
					view, err := r.engine.DocumentLink(t.Context(), "acme", id)
					must(t, err)
					if view.ID != id || view.State != record.LinkLinked {
						t.Errorf("%s is %s as %s", id, view.State, view.ID)
					}
				}
				run := r.refresh(Request{Target: record.RunTarget{ReportID: r.report, ExternalWorkbookID: ids.placed}})
				if run.State != placements.RunSucceeded || len(run.Placements) != 3 {
					t.Errorf("run: %s %s, %d placements", run.State, run.Error, len(run.Placements))
				}
				report, err := r.engine.records.Reports().Get(t.Context(), r.d, r.report)
				must(t, err)
				if now, _ := report.Find(p.ID); now.WorkbookID != ids.placed {
					t.Errorf("it is recorded in %s by now, not in %s", now.WorkbookID, ids.placed)
				}
				_, err = r.engine.Unlink(t.Context(), "acme", addinDocument, record.Actor{ID: 7})
				must(t, err)
				if got := r.in(ids.placed); !slices.Contains(got, p.ID) || slices.Contains(got, late.ID) {
					t.Errorf("unlinked, under %s there are %q", ids.placed, got)
				}
			})
		})
	}
}

// Placements of two people at one cell stay both, and meet each other, unless a person with edit access has the document looked for.
func TestPlacementsOfTwoPeopleBecomeOneOnlyByAnEditor(t *testing.T) {
	for name, edits := range map[string]bool{"a reader": false, "an editor": true} {
		t.Run(name, func(t *testing.T) {
			eachRig(t, func(r *rig) {
				r.connectTo("book.xlsx", "Sheet1!B2")
				by := func(id int64, document string) placements.Placement {
					c, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
						ExternalWorkbookID: document, ResultLocation: "Sheet1!B2", AddressOnly: true,
					}, record.Actor{ID: id, Actions: []string{record.ActionReportEdit}}, nil, false)
					must(t, err)
					if len(c.Overlaps) > 0 && document == addinDocument {
						t.Errorf("before the link %d placements overlap", len(c.Overlaps))
					}
					return *c.Placement
				}
				theirs := by(8, addinDocument)
				r.say("book.xlsx", addinDocument, addinNonce)
				r.linked(r.look(addinDocument, link.Ask{By: record.Actor{ID: 8}, Nonce: addinNonce, Name: "book.xlsx", MayEdit: edits}))
				ids := r.in(addinDocument)
				if want := map[bool]int{false: 2, true: 1}[edits]; len(ids) != want {
					t.Fatalf("with edit access %t there are %d placements, want %d", edits, len(ids), want)
				}
				if edits {
					return
				}
				c, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
					ExternalWorkbookID: addinDocument, ResultLocation: "Sheet1!B2", AddressOnly: true, PlacementID: theirs.ID,
				}, record.Actor{ID: 8, Actions: []string{record.ActionReportEdit}}, nil, false)
				must(t, err)
				if len(c.Overlaps) != 1 || c.Placement.ID != theirs.ID {
					t.Errorf("the one overlaps %d others", len(c.Overlaps))
				}
			})
		})
	}
}

// A user who may not have agents write the rows of all that is placed there links the document to no file: it might be a copy of theirs.
func TestOnlyAUserWhoMayLinksADocument(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		ask := link.Ask{By: record.Actor{ID: 8}, Nonce: addinNonce, Name: "book.xlsx"}
		if got := r.lookAs(addinDocument, ask); got.State != record.LinkRefused {
			t.Errorf("for another it is %s", got.State)
		}
		ask.By.ID = 7
		r.linked(r.look(addinDocument, ask))
	})
}

// The nonce that a user sends who may not link the document keeps out no other: the file has not shown it.
func TestANonceOfAnotherKeepsOutNobody(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		stranger := link.Ask{By: record.Actor{ID: 8}, Nonce: "not-the-nonce-of-the-file", Name: "book.xlsx"}
		if got := r.lookAs(addinDocument, stranger); got.State == record.LinkLinked {
			t.Error("it is linked by another nonce than that of the file")
		}
		r.linked(r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}))
		if got := r.lookAs(addinDocument, stranger); got.State != record.LinkRefused {
			t.Errorf("for the other it is %s afterwards", got.State)
		}
	})
}

// Two panes that ask in turn, of which one may link the document and one may not, are both told in the end.
func TestTwoPanesAreBothTold(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connectTo(addinDocument, "Sheet1!B2")
		placer := link.Ask{By: record.Actor{ID: 7}, MayLink: true, Nonce: addinNonce, Name: "none.xlsx"}
		other := link.Ask{By: record.Actor{ID: 9}, Nonce: addinNonce, Name: "none.xlsx"}
		told := map[int64]record.LinkState{}
		for range 2 * (len(link.LookPauses) + 1) {
			for _, ask := range []link.Ask{placer, other} {
				v, err := r.engine.AskLink(t.Context(), "acme", addinDocument, ask)
				must(t, err)
				told[ask.By.ID] = v.State
				must(t, r.engine.links.Look(t.Context(), "acme", addinDocument))
			}
		}
		if told[7] != record.LinkNotSaved || told[9] != record.LinkNotSaved {
			t.Errorf("they are told %v", told)
		}
	})
}

// A file that another document was is linked only once no run writes to that one.
func TestAFileIsTakenOverFromAnotherDocumentBetweenRuns(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		const former = "3f2504e0-4f89-41d3-9a0c-0305e82c3309"
		r.connectTo(former, "Sheet1!B2")
		r.connectTo(addinDocument, "Sheet1!H2")
		r.say("book.xlsx", former, addinNonce)
		r.linked(r.look(former, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}))
		r.say("book.xlsx", addinDocument, addinNonce)
		_, _, release, err := r.engine.queue.LockDocument(t.Context(), "acme", former)
		must(t, err)
		ask := link.Ask{MayLink: true, By: record.Actor{ID: 7}, Nonce: addinNonce, Name: "book.xlsx"}
		if _, err = r.engine.AskLink(t.Context(), "acme", addinDocument, ask); err == nil {
			err = r.engine.links.Look(t.Context(), "acme", addinDocument)
		}
		must(t, err)
		if v, _ := r.engine.AskLink(t.Context(), "acme", addinDocument, ask); v.State != record.LinkLooking {
			t.Errorf("while a run writes to the other it is %s", v.State)
		}
		release()
		r.linked(r.look(addinDocument, ask))
		if v, _ := r.engine.DocumentLink(t.Context(), "acme", former); v.State != record.LinkNotFound {
			t.Errorf("the other is %s", v.State)
		}
	})
}

// A file in which the configuration lets no report be placed is not linked, whatever it says.
func TestNoFileIsLinkedThatNoPatternAdmits(t *testing.T) {
	for pattern, want := range map[string]record.LinkState{"sales/*": record.LinkRefused, "*.xlsx": record.LinkLinked} {
		store, err := storage.Open(t.Context(), storage.Config{
			Address:   storagetest.Redis(t),
			Documents: map[record.Deployment]placements.Documents{{Tenant: "acme", ID: 1}: {{Kind: placements.SheetsB, Documents: []string{pattern}}}},
		})
		must(t, err)
		t.Cleanup(func() { must(t, store.Close()) })
		r := newRig(t, store)
		r.connectTo(addinDocument, "Sheet1!B2")
		r.say("book.xlsx", addinDocument, addinNonce)
		if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "book.xlsx"}); got.State != want {
			t.Errorf("documents %s: %s (%s), want %s", pattern, got.State, got.Message, want)
		}
	}
}

const teamSite = "https://contoso.sharepoint.com/sites/team"

// team makes a SharePoint site the engine's only host.
func (r *rig) team() *graphfake.Server {
	r.Helper()
	fake := graphfake.Start()
	r.Cleanup(fake.Close)
	fake.AddSite(teamSite, graphfake.Write, "Documents")
	h, err := (&graph.Config{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Endpoint: fake.URL,
		TokenEndpoint: fake.TokenURL, Sites: []string{teamSite},
	}).Open(r.Context(), nil)
	must(r.T, err)
	r.hosts(Spreadsheets{Name: "team", Kind: placements.SheetsB, Driver: h})
	return fake
}

// A workbook that was renamed, and a copy that has its name and address since, are told apart. A copy of another name is told without an address, too.
func TestACopyWhereTheDocumentWasIsTold(t *testing.T) {
	r := newRig(t, storagetest.Open(t, "embedded"))
	fake, drive := r.team(), graphfake.DriveOf(teamSite, "Documents")
	fake.AddTo(drive, "Plan.xlsx", "01PLAN", book.New(graphfake.Rows, graphfake.Columns, "Sheet1"))
	id := host.Identity{Document: addinDocument, Nonce: addinNonce}
	fake.Edit("01PLAN", func(b *book.Book) { b.AddName(book.Name{Name: host.DocumentName, Text: id.String(), Hidden: true}) })
	r.connectTo(addinDocument, "Sheet1!B2")
	ask := link.Ask{Nonce: addinNonce, Name: "Plan.xlsx", URL: fake.Address("01PLAN")}
	r.linked(r.look(addinDocument, ask))

	fake.Move("01PLAN", drive, "Plan of last year.xlsx")
	fake.Copy("01PLAN", drive, "Plan.xlsx")
	_, err := r.engine.records.Links().Change(t.Context(), "acme", addinDocument, func(l *record.Link) (work.LinkChange, error) {
		l.ProvedAt = placements.Time(time.Now().Add(-link.LookHourly - time.Minute))
		return work.LinkChange{}, nil
	})
	must(t, err)
	if got := r.look(addinDocument, ask); got.Copy || got.State != record.LinkLinked {
		t.Errorf("while it is looked at again: %+v", got)
	}
	must(t, r.engine.links.Look(t.Context(), "acme", addinDocument))
	if got := r.look(addinDocument, ask); !got.Copy {
		t.Errorf("the copy at the former address: %+v", got)
	}
	fake.Copy("01PLAN", drive, "Draft.xlsx")
	if got := r.look(addinDocument, link.Ask{Nonce: addinNonce, Name: "Draft.xlsx"}); !got.Copy {
		t.Errorf("the copy by its name: %+v", got)
	}
	ask.Name, ask.URL = "Plan of last year.xlsx", fake.Address("01PLAN")
	got := r.look(addinDocument, ask)
	if r.linked(got); got.Copy || got.Name != ask.Name {
		t.Errorf("the document at its new address: %+v", got)
	}
}

// MOORING_LINKS says of how many documents the time from their saving to their link is told.
func TestSavedDocumentsAreLinkedSoon(t *testing.T) {
	t.Parallel()
	n := 4
	if asked, err := strconv.Atoi(os.Getenv("MOORING_LINKS")); err == nil {
		n = asked
	}
	r := newRig(t, storagetest.Open(t, storagetest.Redis(t)))
	fake := r.team()
	defer r.serve()()
	took := make([]time.Duration, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			id := host.NewIdentity()
			item, name := fmt.Sprintf("01ITEM%d", i), fmt.Sprintf("plan-%d.xlsx", i)
			fake.AddTo(graphfake.DriveOf(teamSite, "Documents"), "Plans/"+name, item, book.New(graphfake.Rows, graphfake.Columns, "Sheet1"))
			r.connectTo(id.Document, fmt.Sprintf("Sheet1!A%d", i+1))
			time.Sleep(time.Duration(i) * 500 * time.Millisecond) // people save one after the other
			ask := link.Ask{By: record.Actor{ID: int64(100 + i)}, MayEdit: true, MayLink: true, Nonce: id.Nonce, Name: name, URL: fake.Address(item)}
			if _, err := r.engine.AskLink(t.Context(), "acme", id.Document, ask); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Duration(i%5) * time.Second) // until Excel has saved it
			fake.Edit(item, func(b *book.Book) { b.AddName(book.Name{Name: host.DocumentName, Text: id.String(), Hidden: true}) })
			saved := time.Now()
			for {
				v, err := r.engine.AskLink(t.Context(), "acme", id.Document, ask)
				switch took[i] = time.Since(saved); {
				case err == nil && v.State == record.LinkLinked:
					return
				case err != nil || took[i] > waitLimit:
					t.Errorf("%s is %s: %s %v", name, v.State, v.Message, err)
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	t.Logf("of %d documents from saved to linked: median %s, p95 %s, longest %s", n, took[n/2].Round(time.Millisecond),
		took[n*95/100].Round(time.Millisecond), took[n-1].Round(time.Millisecond))
}
