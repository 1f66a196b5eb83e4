package cube_test

import (
	"errors"
	"strings"
	"testing"

	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

func TestCubePrepareNamesTheUnknownMember(t *testing.T) {
	src := sourcetest.Open(t, newFakeCube(t, nil).config()).(source.Preparer)
	for _, row := range []struct {
		fact, json, want string
		line, column     int
	}{
		{"a dimension", `{"dimensions":["orders.statsu"]}`, `"orders.statsu"`, 1, 16},
		{"the second of two", "{\"dimensions\":[\"numbers.i\",\n\"orders.statsu\"]}", `"orders.statsu"`, 2, 1},
		{"of a cube that is none", `{"measures":["order.count"]}`, `"order.count"`, 1, 14},
		{"a hidden one", `{"dimensions":["hidden.x"]}`, `"hidden.x"`, 1, 16},
		{"a time with its granularity", `{"dimensions":["orders.ad.day"]}`, `"orders.ad.day"`, 1, 16},
		{"a segment", `{"dimensions":["numbers.i"],"segments":["orders.opne"]}`, `"orders.opne"`, 1, 41},
	} {
		_, err := src.Prepare(t.Context(), source.Query{JSON: row.json})
		at, ok := errors.AsType[*source.PositionError](err)
		if !ok || !strings.Contains(err.Error(), row.want) || at.Line != row.line || at.Column != row.column {
			t.Errorf("%s: %+v, %v, want %s at line %d, column %d", row.fact, at, err, row.want, row.line, row.column)
		}
	}
}

func TestCubePrepareOfSoundQueries(t *testing.T) {
	f := newFakeCube(t, nil)
	src := sourcetest.Open(t, f.config()).(source.Preparer)
	for _, q := range []source.Query{
		jsonQuery(`{"dimensions":["orders.at.day"],"timeDimensions":[{"dimension":"orders.at"}],"segments":["orders.open"]}`),
		sqlQuery("SELECT numbers 3;"),
		sqlQuery("slow"),    // Cube asks to wait
		sqlQuery("combine"), // Cube computes a part of it itself
	} {
		if _, err := src.Prepare(t.Context(), q); err != nil {
			t.Errorf("%s%s: %v", q.SQL, q.JSON, err)
		}
	}
	for _, r := range f.asked() {
		if strings.HasSuffix(r.path, "/load") || strings.HasSuffix(r.path, "/cubesql") {
			t.Errorf("%s runs a query: %s", r.path, r.body)
		}
	}
}

func TestCubePrepareOfBrokenJSON(t *testing.T) {
	src := sourcetest.Open(t, newFakeCube(t, nil).config()).(source.Preparer)
	_, err := src.Prepare(t.Context(), jsonQuery("{\"measures\":\n ]}"))
	if at, ok := errors.AsType[*source.PositionError](err); !ok || at.Line != 2 || at.Column != 2 {
		t.Errorf("%+v, %v, want line 2, column 2", at, err)
	}
}
