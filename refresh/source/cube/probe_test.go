package cube_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

// plainModel is a data model whose cubes answer at once.
const plainModel = `{"cubes":[
	{"name":"hidden","dimensions":[{"name":"hidden.x","public":false}]},
	{"name":"numbers","dimensions":[{"name":"numbers.i","public":true}]},
	{"name":"orders","measures":[{"name":"orders.count"}]}]}`

func TestCubeTellsItsLastRefresh(t *testing.T) {
	f := newFakeCube(t, nil)
	f.model = plainModel
	probe := func() string {
		t.Helper()
		value, err := sourcetest.Open(t, f.config()).(source.Prober).Probe(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	before := probe()
	if want := "numbers 2024-05-06T07:08:00.000Z\norders 2024-05-06T07:08:00.000Z\n"; before != want {
		t.Errorf("got %q, want the refresh of each cube that may be asked", before)
	}
	if probe() != before {
		t.Error("another value without a refresh")
	}
	f.change()
	if probe() == before {
		t.Error("a refresh is not told")
	}
	for _, r := range f.asked() {
		if r.path == "/cubejs-api/v1/load" && !strings.Contains(r.body, `"limit":1`) {
			t.Errorf("asked for more than a row: %s", r.body)
		}
	}
}

func TestCubeWithoutALastRefresh(t *testing.T) {
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"c%d","dimensions":[{"name":"numbers.i"}]}`, i)
	}
	for _, row := range []struct{ fact, model, says string }{
		{"a model that nothing may be asked of", `{"cubes":[{"name":"hidden","dimensions":[{"name":"hidden.x","public":false}]}]}`, "no member"},
		{"too many cubes", `{"cubes":[` + strings.Join(many, ",") + `]}`, "more than 20 cubes"},
		{"a Cube that does not say", `{"cubes":[{"name":"slow","measures":[{"name":"slow.count"}]}]}`, "does not say"},
	} {
		f := newFakeCube(t, nil)
		f.model = row.model
		_, err := sourcetest.Open(t, f.config()).(source.Prober).Probe(t.Context(), "")
		fault, ok := errors.AsType[*placements.Fault](err)
		if !ok || fault.Class != placements.Structure || !strings.Contains(fault.Message, row.says) {
			t.Errorf("%s: %v", row.fact, err)
		}
	}
}
