package part_test

import (
	"fmt"
	"log"

	"mooring/refresh/host/xlsx/part"
)

func ExampleTable_Resize() {
	doc := []byte(`<table displayName="Sales" ref="A1:B3"><autoFilter ref="A1:B3"/>` +
		`<tableColumns count="2"><tableColumn id="1" name="Region"/><tableColumn id="2" name="Sum"/></tableColumns></table>`)
	t, err := part.ParseTable(doc)
	if err != nil {
		log.Fatal(err)
	}
	area := t.Area
	area.Bottom += 2
	if doc, err = t.Resize(doc, area); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.60s\n", doc)
	// Output: <table displayName="Sales" ref="A1:B5"><autoFilter ref="A1:B
}
