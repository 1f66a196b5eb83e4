package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mooring/placements"
	"mooring/web/request"
)

// That the examples are true is tested with the built program, in cmd/mooring.
func TestEveryOperationHasExamplesThatFitItsSchemas(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		if len(item.Parameters) > 0 {
			t.Errorf("%s has parameters of the path, whose references the viewer does not follow: repeat them in each operation", path)
		}
		for method, operation := range item.Operations() {
			t.Run(method+" "+path, func(t *testing.T) {
				for _, p := range operation.Parameters {
					if p.Value.In == openapi3.ParameterInPath {
						fits(t, "parameter "+p.Value.Name, p.Value.Schema, p.Value.Example)
					}
				}
				if operation.RequestBody != nil {
					allFit(t, "request", operation.RequestBody.Value.Content)
				}
				answered := false
				for status, response := range operation.Responses.Map() {
					if status == strconv.Itoa(http.StatusOK) || status == strconv.Itoa(http.StatusCreated) || status == strconv.Itoa(http.StatusAccepted) && !answered && operation.Responses.Value("200") == nil {
						allFit(t, status, response.Value.Content)
						answered = true
					}
				}
				if !answered {
					t.Error("no answer has an example")
				}
			})
		}
	}
}

// allFit checks that each media type has an example that its schema admits.
func allFit(t *testing.T, what string, content openapi3.Content) {
	t.Helper()
	for kind, media := range content {
		fits(t, what+" "+kind, media.Schema, media.Example)
	}
}

func fits(t *testing.T, what string, schema *openapi3.SchemaRef, example any) {
	t.Helper()
	if example == nil {
		t.Errorf("%s has no example", what)
	} else if err := schema.Value.VisitJSON(example, openapi3.MultiErrors()); err != nil {
		t.Errorf("%s: the example is not as described: %v", what, err)
	}
}

// Every code has one example: at its status, as an answer with that code is.
func TestEveryCodeHasAnExampleAtItsStatus(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[placements.Code]int{}
	for name, response := range doc.Components.Responses {
		media := response.Value.Content["application/json"]
		for code, example := range media.Examples {
			shown[placements.Code(code)]++
			fits(t, code, media.Schema, example.Value.Value)
			var e struct {
				StatusCode int
				Error      string
				Code       placements.Code
				Message    string
				Retryable  bool
			}
			text, err := json.Marshal(example.Value.Value)
			if err != nil || json.Unmarshal(text, &e) != nil {
				t.Fatalf("%s: %s", code, text)
			}
			if e.Code != placements.Code(code) || e.StatusCode != request.Status(e.Code) || name != "E"+strconv.Itoa(e.StatusCode) || e.Error != http.StatusText(e.StatusCode) || e.Retryable != request.Retryable(e.Code) {
				t.Errorf("%s stands at %s as %+v; its status is %d", code, name, e, request.Status(e.Code))
			}
		}
	}
	for _, code := range codesIn(t, "../placements", "Code") {
		if code := placements.Code(code); shown[code] != 1 && code != placements.CodeElsewhere {
			t.Errorf("%s has %d examples", code, shown[code])
		}
	}
}

func TestTheDocumentBeginsWithHowToGetAToken(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.Info.Description, "**How to get a token.**") {
		t.Errorf("it begins with %.40q", doc.Info.Description)
	}
}
