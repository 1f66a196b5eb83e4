package reports

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage/record"
	"mooring/web/bind"
)

// Every member of a report's body has its field in what storage takes, and the other way round.
func TestMembersOfAReportAreFieldsOfTheRecord(t *testing.T) {
	elsewhere := []string{"expectedVersion"} // which is not recorded
	derived := []string{"ReadBack", "Judge"} // from other members, and what the source says of them
	var fields, members []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[record.ReportInput]()) {
		if !f.Anonymous && !slices.Contains(derived, f.Name) {
			fields = append(fields, strings.ToLower(f.Name))
		}
	}
	for _, path := range bind.Paths(new(reportBody).Members) {
		if !strings.Contains(path, "/") && !slices.Contains(elsewhere, path) {
			members = append(members, strings.ToLower(path))
		}
	}
	slices.Sort(fields)
	slices.Sort(members)
	if diff := cmp.Diff(fields, members); diff != "" {
		t.Errorf("(-record +body):\n%s", diff)
	}
}
