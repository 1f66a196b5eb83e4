package source

import "testing"

func TestNamesAreQuotedWhereTheyMustBe(t *testing.T) {
	ticks := Names{Quote: "`", Reserved: []string{"rank"}}
	for _, row := range []struct{ fact, name, standard, ticked string }{
		{"a plain name", "orders", "orders", "orders"},
		{"capitals, which the standard folds", "Orders", `"Orders"`, "Orders"},
		{"a word of the standard", "order", `"order"`, "order"},
		{"a word of the other", "rank", "rank", "`rank`"},
		{"a word in capitals", "RANK", `"RANK"`, "`RANK`"},
		{"a space", "net total", `"net total"`, "`net total`"},
		{"quotes within", "a\"b`c", "\"a\"\"b`c\"", "`a\"b``c`"},
		{"a digit first", "2024", `"2024"`, "`2024`"},
		{"nothing", "", `""`, "``"},
	} {
		if got := Identifier(row.name); got != row.standard {
			t.Errorf("%s: %s, want %s", row.fact, got, row.standard)
		}
		if got := ticks.Identifier(row.name); got != row.ticked {
			t.Errorf("%s: %s, want %s", row.fact, got, row.ticked)
		}
	}
}
