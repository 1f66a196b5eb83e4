package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

var (
	shop  = record.Deployment{Tenant: "acme", ID: 1}
	other = record.Deployment{Tenant: "acme", ID: 2}
	ada   = record.Actor{ID: 7, Email: "ada@example.com", Name: "Ada"}
	bob   = record.Actor{ID: 8, Email: "bob@example.com"}

	// adaReads is ada with a token that lets her read every report.
	adaReads = record.Actor{ID: ada.ID, Email: ada.Email, Name: ada.Name, Actions: []string{record.ActionReportRead}}

	errDenied = errors.New("denied")

	// shownOnly compares of a report or workbook what its users see, and not which write returned it.
	shownOnly = cmp.Options{
		cmpopts.IgnoreUnexported(storage.Report{}, storage.Placed{}),
		cmpopts.IgnoreFields(storage.Report{}, "Effect"), cmpopts.IgnoreFields(record.Workbook{}, "Effect"),
	}
)

// patience bounds waits, of tests and of their stores for locks: on a sound machine none comes near it.
const patience = storagetest.Patience

// each runs test on the embedded storage and on a real Redis, and fails it if any script touches two slots, or if in the end the lists of
// placements are not those of what is stored.
func each(t *testing.T, test func(t *testing.T, s *storage.Store)) {
	t.Helper()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		s.OnTwoSlots(func(problem string) { t.Error(problem) })
		s.SetLocks(patience, patience)
		test(t, s)
		if !t.Failed() && s.Ping(context.Background()) == nil {
			checkIndex(t, s.Dump(t))
		}
	})
}

// adaShown is ada as records show her.
func adaShown() *record.User {
	user := ada.User()
	return &user
}

func anyone(*storage.Report) error { return nil }

func nobody(*storage.Report) error { return errDenied }

// named is a report body with a name and a query.
func named(name, sql string) record.ReportInput {
	return record.ReportInput{Name: placements.Sent(name), SQLQuery: placements.Sent(sql)}
}

func withPublicID(in record.ReportInput, id string) record.ReportInput {
	in.PublicID = placements.Sent(id)
	return in
}

func create(t *testing.T, s *storage.Store, d record.Deployment, in record.ReportInput) *storage.Report {
	t.Helper()
	r, err := s.Reports().Create(t.Context(), d, in, ada)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func load(t *testing.T, s *storage.Store, d record.Deployment, id int64) *storage.Report {
	t.Helper()
	r, err := s.Reports().Get(t.Context(), d, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func upsert(t *testing.T, s *storage.Store, d record.Deployment, publicID string, in record.ReportInput) *storage.Report {
	t.Helper()
	r, err := s.Reports().Upsert(t.Context(), d, publicID, in, ada, anyone)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantConflict checks for a conflict of that code.
func wantConflict(t *testing.T, err error, code placements.Code) {
	t.Helper()
	if placements.CodeOf(err) != code {
		t.Errorf("error %#v, want a conflict with code %q", err, code)
	}
}

// wantInvalid checks for a fault of that code at that pointer, or for one without details when it is empty.
func wantInvalid(t *testing.T, err error, code placements.Code, pointer string) {
	t.Helper()
	if placements.CodeOf(err) != code {
		t.Errorf("error %#v, want one with code %q", err, code)
	}
	if got := placements.DetailsOf(err); len(got) > 0 != (pointer != "") || pointer != "" && (len(got) != 1 || got[0].Pointer != pointer) {
		t.Errorf("details %+v, want one at %q", got, pointer)
	}
}

// wantSame checks that nothing about two states of a report differs.
func wantSame(t *testing.T, before, after *storage.Report) {
	t.Helper()
	if diff := cmp.Diff(before, after, shownOnly); diff != "" {
		t.Errorf("the report changed:\n%s", diff)
	}
}

func raw(text string) placements.Optional[json.RawMessage] {
	return placements.Sent(json.RawMessage(text))
}
