package shape_test

import (
	"fmt"

	"mooring/cmd/mooring/yaml"
	"mooring/cmd/mooring/yaml/shape"
)

func ExampleShape_Check() {
	form := shape.Keys(shape.Must("name", shape.Text(80)), shape.May("days", shape.List(shape.Whole(1))))
	root, _ := yaml.Parse("plan.yaml", "nmae: Revenue\ndays: 5\n")
	for _, fault := range form.Check(root) {
		fmt.Println(fault)
	}
	// Output:
	// plan.yaml:1:1: unknown key "nmae": write name if you mean that
	// plan.yaml:2:7: expected a list, found a number: write it so
	// plan.yaml:1:1: name is missing: add it
}
