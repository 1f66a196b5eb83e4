package shape_test

import (
	"strings"
	"testing"

	"mooring/cmd/mooring/yaml"
	"mooring/cmd/mooring/yaml/shape"
)

func TestCheckFindsEveryFault(t *testing.T) {
	form := shape.Keys(
		shape.Must("name", shape.Text(5)), shape.Must("at", shape.Rule(shape.Form{Wrong: func(s string) string { return "is not " + strings.ToUpper(s) }})),
		shape.May("kind", shape.Choice("a", "b")), shape.May("days", shape.List(shape.Whole(1))), shape.May("free", shape.Any()),
		shape.May("when", shape.List(shape.Truth()).OrText()), shape.May("roles", shape.Table(shape.Text(0))),
	)
	const text = "nam: x\nat: b1\nkind: c\ndays: [0, 1, x]\nfree: {x: 1}\nwhen: now\nroles: {a: 1}\n"
	n, _ := yaml.Parse("x.yaml", text)
	var got []string
	for _, fault := range form.Check(n) {
		got = append(got, string(fault.Rule)+" "+fault.String())
	}
	want := []string{
		`key x.yaml:1:1: unknown key "nam": write name if you mean that`,
		"value x.yaml:2:5: is not B1",
		`value x.yaml:3:7: "c" is not known: write one of a, b`,
		"value x.yaml:4:8: 0 is not a whole number from 1: write one",
		"value x.yaml:4:14: expected a number, found text: write it so",
		`value x.yaml:7:12: expected text, found a number: write it in quotes, "1"`,
		"key x.yaml:1:1: name is missing: add it",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if order := form.Order(); strings.Join(order.Keys, " ") != "name at kind days free when roles" {
		t.Errorf("order %v", order.Keys)
	}
}
