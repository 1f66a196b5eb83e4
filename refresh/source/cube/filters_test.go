package cube_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

func TestCubeFiltersInWords(t *testing.T) {
	f := newFakeCube(t, nil)
	filterer := sourcetest.Open(t, f.config()).(source.Filterer)
	filter := func(f string) string { return `"filters":[` + f + `]` }
	many := `"` + strings.Join(strings.Split(strings.Repeat("a", 23), ""), `","`) + `"`
	for _, c := range []struct{ name, members, want string }{
		{"nothing", `"limit":5`, ""},
		{"one value", filter(`{"member":"orders.status","operator":"equals","values":["shipped"]}`), "Status is shipped"},
		{
			"several values", filter(`{"member":"orders.status","operator":"equals","values":["new","paid","sent"]}`),
			"Status is new, paid or sent",
		},
		{"none of them", filter(`{"member":"orders.status","operator":"notEquals","values":["new","paid"]}`), "Status is not new nor paid"},
		{"the old name of member", filter(`{"dimension":"orders.status","operator":"set"}`), "Status is set"},
		{"numbers and nothing", filter(`{"member":"orders.size","operator":"equals","values":[7,null,true]}`), "Size is 7, null or true"},
		{"a bound", filter(`{"member":"orders.totalAmount","operator":"gte","values":["100"]}`), "Total amount is at least 100"},
		{"text", filter(`{"member":"orders.note","operator":"notContains","values":["x"]}`), "Note does not contain x"},
		{"an operator of a later Cube", filter(`{"member":"orders.note","operator":"resembles","values":["x"]}`), "Note resembles x"},
		{"many values", filter(`{"member":"orders.id","operator":"equals","values":[` + many + `]}`), "Id is " + strings.Repeat("a, ", 19) + "a or 3 more"},
		{"lines and tabs", filter(`{"member":"orders.note","operator":"equals","values":[" a\n\tb\u0000 ",""]}`), `Note is a b or ""`},
		{
			"dates", filter(`{"member":"orders.created_at","operator":"inDateRange","values":["2026-01-01","2026-03-31"]},
				{"member":"orders.paid_at","operator":"beforeOrOnDate","values":["2026-04-01"]}`),
			"Created at in 2026-01-01 … 2026-03-31; Paid at on or before 2026-04-01",
		},
		{
			"groups", filter(`{"or":[{"member":"orders.status","operator":"equals","values":["new"]},
				{"and":[{"member":"orders.size","operator":"gt","values":["5"]},{"member":"orders.note","operator":"set"}]}]}`),
			"Status is new or (Size is more than 5 and Note is set)",
		},
		{"a group of one", filter(`{"and":[{"member":"orders.note","operator":"notSet"}]}`), "Note is not set"},
		{
			"date ranges and segments behind filters",
			`"segments":["orders.big_ones"],"timeDimensions":[{"dimension":"orders.created","dateRange":["2026-01-01","2026-03-31"]},
				{"dimension":"orders.paid","granularity":"day"},{"dimension":"orders.sent","dateRange":"last 7 days"},
				{"dimension":"orders.seen","dateRange":["2026-01-01","2026-01-01"]},{"dimension":"orders.left","dateRange":null}],` +
				filter(`{"member":"orders.status","operator":"equals","values":["shipped"]}`),
			"Status is shipped; Created in 2026-01-01 … 2026-03-31; Sent in last 7 days; Seen in 2026-01-01; Big ones",
		},
		{
			"two members of one name are named with their cubes",
			filter(`{"member":"orders.status","operator":"set"},{"member":"line_items.status","operator":"set"},{"member":"orders.note","operator":"set"}`),
			"Orders status is set; Line items status is set; Note is set",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := filterer.Filters(source.Query{JSON: `{"measures":["orders.count"],` + c.members + `}`})
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, f := range list {
				words = append(words, f.Text)
			}
			if diff := cmp.Diff(c.want, strings.Join(words, "; ")); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
		})
	}
	if asked := f.asked(); len(asked) > 0 {
		t.Errorf("Cube was asked %d times", len(asked))
	}
}

func TestCubeFiltersAreWhatTheQuerySays(t *testing.T) {
	filterer := sourcetest.Open(t, newFakeCube(t, nil).config()).(source.Filterer)
	got, err := filterer.Filters(source.Query{JSON: `{"measures":["o.count"],"segments":["o.big"],
		"timeDimensions":[{"dimension":"o.at","dateRange":["2026-01-01","2026-03-31"]}],
		"filters":[{"member":"o.size","operator":"equals","values":[7,"a\nb"]},{"or":[{"member":"o.a","operator":"set"},{"member":"o.b","operator":"set"}]}]}`})
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Filter{
		{Kind: source.FilterMember, Member: "o.size", Operator: "equals", Values: []string{"7", "a\nb"}, Text: "Size is 7 or a b"},
		{Kind: source.FilterGroup, Text: "A is set or B is set"},
		{Kind: source.FilterDateRange, Member: "o.at", Values: []string{"2026-01-01", "2026-03-31"}, Text: "At in 2026-01-01 … 2026-03-31"},
		{Kind: source.FilterSegment, Member: "o.big", Text: "Big"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filters (-want +got):\n%s", diff)
	}
	if list, err := filterer.Filters(source.Query{SQL: "SELECT 1"}); list != nil || err != nil {
		t.Errorf("a sqlQuery filters by %v, %v", list, err)
	}
	if _, err := filterer.Filters(source.Query{JSON: `{"measures":["o.count"],"filters":7}`}); err == nil {
		t.Error("filters of another form are no fault")
	}
}
