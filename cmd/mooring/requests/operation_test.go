//go:build unix

package requests

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mooring/web/webtest"
)

// operation is one of the interface.
type operation struct {
	id, method, path string
	parameters       []*openapi3.Parameter
	body             *openapi3.Schema // nil: none
	example          any              // of the body; nil: none
	weight           int
}

// weights are how often an operation is asked for, where that is not 10 times: less what takes long, what makes runs, and what deletes.
var weights = map[string]int{
	"showResult": 2, "startRun": 3, "startDocumentRuns": 2, "runSchedule": 2, "planRun": 6, "previewRefresh": 3, "createPlan": 6, "applyPlan": 6, "streamEvents": 1,
	"getDocs": 1, "getSpec": 1, "getDocsIndex": 1, "getDocsPage": 2, "getDocsAsset": 2, "getManifest": 2, "metrics": 1, "healthz": 1, "readyz": 1,
	"deleteReport": 3, "deleteWorkbook": 3, "deleteSchedule": 5, "createReport": 15, "createWorkbook": 12, "createSchedule": 15, "connectWorkbook": 25,
	"endDevice": 3, "revokeToken": 3, "changeRuns": 5, "changeSchedules": 5,
}

// operations are those of the document, in an order that is always the same.
func operations(c *webtest.Contract) (list []*operation) {
	for path, item := range c.Document().Paths.Map() {
		for method, described := range item.Operations() {
			o := &operation{id: described.OperationID, method: method, path: path, weight: cmp.Or(weights[described.OperationID], 10)}
			for _, p := range slices.Concat(item.Parameters, described.Parameters) {
				o.parameters = append(o.parameters, p.Value)
			}
			if described.RequestBody != nil {
				media := described.RequestBody.Value.Content["application/json"]
				o.body, o.example = media.Schema.Value, media.Example
			}
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *operation) int { return cmp.Compare(a.id, b.id) })
	return list
}

// choose returns one of the operations, as often as its weight says.
func choose(r *rand.Rand, list []*operation) *operation {
	total := 0
	for _, o := range list {
		total += o.weight
	}
	n := r.IntN(total)
	for _, o := range list {
		if n -= o.weight; n < 0 {
			return o
		}
	}
	panic("the weights have changed")
}

func readContract(t *testing.T) *webtest.Contract {
	t.Helper()
	text, err := os.ReadFile("../../../web/openapi.json")
	must(t, err)
	c, err := webtest.ReadContract(text)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clone is a copy of a JSON value that shares nothing with it.
func clone(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was read from JSON
	}
	var copied any
	if err := json.Unmarshal(text, &copied); err != nil {
		panic(err)
	}
	return copied
}

// sortedKeys are the keys of an object, in an order that is always the same.
func sortedKeys[V any](object map[string]V) []string { return slices.Sorted(maps.Keys(object)) }
