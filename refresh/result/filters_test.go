package result

import (
	"strings"
	"testing"

	"mooring/refresh/source"
	"mooring/storage/record"
)

func TestAnAnswerSaysWhatItsQueryFiltersBy(t *testing.T) {
	const query = `{"measures":["o.average"],"dimensions":["o.region","o.status"],"segments":["o.large"],
		"filters":[{"member":"o.status","operator":"equals","values":["new","paid"]}]}`
	got, err := totalled(t, newAverages(t).source(t), record.Definition{JSONQuery: query})
	must(t, err)
	if text, want := got.FiltersText(), "Status is new or paid; Large"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestTheTextOfFiltersFitsACell(t *testing.T) {
	a := Answer{Filters: []source.Filter{{Text: strings.Repeat("é", 3000)}, {Text: strings.Repeat("é", 3000)}}}
	text := []rune(a.FiltersText())
	if len(text) != 4000 || text[3000] != ';' || text[3999] != '…' {
		t.Errorf("%d characters, ending in %q", len(text), text[len(text)-1])
	}
	if text := new(Answer).FiltersText(); text != "" {
		t.Errorf("no filters are %q", text)
	}
}
