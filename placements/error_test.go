package placements_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

func TestAnErrorSaysWhatIsWrong(t *testing.T) {
	fault := placements.Detail{Pointer: "/name", Code: placements.CodeInvalid, Message: "is too long"}
	for _, tc := range []struct {
		fact string
		err  *placements.Error
		want string
	}{
		{"a message", placements.Errorf(placements.CodeNotFound, "No report %d.", 7), "No report 7."},
		{
			"a message and a detail", &placements.Error{Message: "the report is not valid", Details: []placements.Detail{fault}},
			"the report is not valid: /name is too long",
		},
		{"one fault", placements.Faulty(fault), "In the request body, /name is too long."},
		{"a cause", placements.Errorf(placements.CodeInternal, "Ask again.").Because(errors.New("disk")), "Ask again.: disk"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.fact, got, tc.want)
		}
	}
}

func TestFaultySortsAndTakesTheFirstCode(t *testing.T) {
	var faults []placements.Detail
	for i := range 2 * placements.MaxDetails {
		faults = append(faults, placements.Detail{Pointer: fmt.Sprintf("/%03d", 999-i), Code: placements.CodeCron, Message: "is wrong"})
	}
	faults = append(faults, placements.Detail{Pointer: "/0", Code: placements.CodeSlug, Message: "is wrong"})
	e := placements.Faulty(faults...)
	if e.Code != placements.CodeSlug || e.Message != "The request body has 100 faults; see details." || len(e.Details) != placements.MaxDetails {
		t.Errorf("%d details, %s: %s", len(e.Details), e.Code, e.Message)
	}
	if e.Details[0].Pointer != "/0" || e.Details[1].Pointer != "/800" {
		t.Errorf("details %v", e.Details[:2])
	}
}

func TestCodeAndDetailsOfAWrappedError(t *testing.T) {
	fault := placements.Detail{Pointer: "/cron", Code: placements.CodeCron, Message: "is empty"}
	err := fmt.Errorf("schedule: %w", placements.Faulty(fault))
	if got := placements.CodeOf(err); got != placements.CodeCron {
		t.Errorf("code %q", got)
	}
	if diff := cmp.Diff([]placements.Detail{fault}, placements.DetailsOf(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other := errors.New("other"); placements.CodeOf(other) != "" || placements.DetailsOf(other) != nil || placements.CodeOf(nil) != "" {
		t.Error("an error of another type has a code or details")
	}
}
