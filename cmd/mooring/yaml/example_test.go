package yaml_test

import (
	"fmt"

	"mooring/cmd/mooring/yaml"
)

func ExampleUpdate() {
	const text = "# what is shown\nname: Revenue  # by region\nrows: [region]\n"
	root, _ := yaml.Parse("revenue.yaml", text)
	fmt.Println(root.At("/rows").Place)

	want := root.Value().(map[string]any)
	want["name"] = "Revenue by region"
	updated, inPlace := yaml.Update(text, want, yaml.Order{})
	fmt.Println(inPlace)
	fmt.Print(updated)
	// Output:
	// revenue.yaml:3:7
	// true
	// # what is shown
	// name: Revenue by region  # by region
	// rows: [region]
}
