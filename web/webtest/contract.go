package webtest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Contract is an OpenAPI document to which answers, and the requests that were accepted, are held: Handler does so on a server's side,
// Transport on a client's.
type Contract struct{ doc *openapi3.T }

// ReadContract reads a document, and closes its objects: what comes back must all be described.
func ReadContract(document []byte) (*Contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	seen := map[*openapi3.Schema]bool{}
	for _, schema := range doc.Components.Schemas {
		closed(schema, seen)
	}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					closed(media.Schema, seen)
				}
			}
		}
	}
	return &Contract{doc}, nil
}

// Document is the document, with its objects closed.
func (c *Contract) Document() *openapi3.T { return c.doc }

// closed makes objects that do not say otherwise refuse keys that the document does not name.
func closed(s *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if s == nil || s.Value == nil || seen[s.Value] {
		return
	}
	seen[s.Value] = true
	if len(s.Value.Properties) > 0 && s.Value.AdditionalProperties.Has == nil && s.Value.AdditionalProperties.Schema == nil {
		s.Value.AdditionalProperties.Has = new(bool)
	}
	for _, p := range s.Value.Properties {
		closed(p, seen)
	}
	closed(s.Value.Items, seen)
	closed(s.Value.AdditionalProperties.Schema, seen)
	for _, list := range []openapi3.SchemaRefs{s.Value.AnyOf, s.Value.OneOf} {
		for _, p := range list {
			closed(p, seen)
		}
	}
}

// Exchange is a request and its whole answer.
type Exchange struct {
	Request *http.Request
	Sent    []byte // the request's body
	Status  int
	Header  http.Header // of the answer
	Body    []byte
}

// asOpenAPI30 selects kin-openapi's own validator. The one that it uses for OpenAPI 3.1 compiles a schema anew for each answer, and then
// leaves every schema with references, which bodies are, to its own one. A test of web keeps the document to keywords that both check.
var asOpenAPI30 = &openapi3.T{OpenAPI: "3.0.3"}

// rules are how values are held to their schemas: all that is wrong is said, and a time is one.
var rules = []openapi3.SchemaValidationOption{
	openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
	openapi3.WithStringFormatValidator("date-time", openapi3.NewCallbackValidator(func(text string) error {
		_, err := time.Parse(time.RFC3339, text)
		return err
	})),
}

// Check returns what of an exchange is not as described: the status, a header, the content type, the body, or the body of a request that
// was accepted. What no operation describes must be refused, as every refusal is; elsewhere than below /api/ it is not the interface's.
func (c *Contract) Check(x Exchange) error {
	operation, err := c.answered(x)
	if err == nil && operation != nil && x.Status < http.StatusMultipleChoices {
		err = accepted(operation, x)
	}
	if err != nil {
		return fmt.Errorf("%s %s: the answer %d is not as described: %w\n%s\n%s", x.Request.Method, x.Request.URL, x.Status, err, truncated(x.Sent), truncated(x.Body))
	}
	return nil
}

func (c *Contract) answered(x Exchange) (*openapi3.Operation, error) {
	route, params := c.route(x.Request)
	if route == nil {
		if strings.HasPrefix(x.Request.URL.Path, "/api/") && x.Request.Method != http.MethodHead && x.Status != http.StatusNoContent { // that is a preflight's
			return nil, errors.Join(refused(x.Status), content(c.doc.Components.Responses["E404"].Value.Content, x))
		}
		return nil, nil
	}
	response := route.Operation.Responses.Status(x.Status)
	if response == nil {
		if x.Status == http.StatusNotFound && bytes.Contains(x.Body, []byte(`"code":"no_route"`)) { // this server leaves the operation out
			response = c.doc.Components.Responses["E404"]
		} else {
			return nil, errors.New("the status is none of the operation's")
		}
	}
	options := &openapi3filter.Options{ExcludeResponseBody: true, MultiError: true}
	err := openapi3filter.ValidateResponse(x.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: x.Request, PathParams: params, Route: route, Options: options},
		Status:                 x.Status, Header: x.Header, Options: options,
	})
	if x.Request.Method == http.MethodHead {
		return route.Operation, cmp.Or(err, empty(x.Body))
	}
	return route.Operation, errors.Join(err, content(response.Value.Content, x))
}

func refused(status int) error {
	if status < http.StatusBadRequest {
		return errors.New("no operation is described here")
	}
	return nil
}

func empty(body []byte) error {
	if len(body) > 0 {
		return fmt.Errorf("it has %d bytes, and none are described", len(body))
	}
	return nil
}

// content holds a body to what is described at its content type.
func content(described openapi3.Content, x Exchange) error {
	if len(described) == 0 {
		return empty(x.Body)
	}
	kind := x.Header.Get("Content-Type")
	media := described.Get(kind)
	if media == nil {
		return fmt.Errorf("its content type is %q", kind)
	}
	switch kind, _, _ = strings.Cut(kind, ";"); kind {
	case "application/json":
		return fits(media.Schema, x.Body)
	case "text/event-stream":
		for event := range bytes.SplitSeq(x.Body, []byte("\n\n")) {
			if err := eventFits(media.Schema, event); err != nil {
				return err
			}
		}
	}
	return nil
}

// eventFits holds an event of a stream to the schema of its data. A comment has none, nor has the event gap.
func eventFits(schema *openapi3.SchemaRef, event []byte) error {
	for line := range bytes.SplitSeq(event, []byte("\n")) {
		if data, is := bytes.CutPrefix(line, []byte("data: ")); is && !bytes.Contains(event, []byte("event: gap\n")) {
			return fits(schema, data)
		}
	}
	return nil
}

func fits(schema *openapi3.SchemaRef, text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return schema.Value.VisitJSON(value, rules...)
}

// accepted holds the body of a request that was accepted to what is described.
func accepted(operation *openapi3.Operation, x Exchange) error {
	if len(x.Sent) == 0 {
		return nil
	}
	if operation.RequestBody == nil {
		return errors.New("a body was accepted, and none is described")
	}
	media := operation.RequestBody.Value.Content.Get(x.Request.Header.Get("Content-Type"))
	if media == nil || !strings.Contains(x.Request.Header.Get("Content-Type"), "json") {
		return nil // a form
	}
	if err := fits(media.Schema, x.Sent); err != nil {
		return fmt.Errorf("a body was accepted that is not as described: %w", err)
	}
	return nil
}

// route finds the operation of a request; fixed segments win over parameters, as in gin. HEAD is GET's.
func (c *Contract) route(r *http.Request) (*routers.Route, map[string]string) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var best string
	var bestParams map[string]string
	for path, item := range c.doc.Paths.Map() {
		params, ok := matchPath(path, r.URL.EscapedPath())
		if ok && item.GetOperation(method) != nil && (best == "" || len(params) < len(bestParams)) {
			best, bestParams = path, params
		}
	}
	if best == "" {
		return nil, nil
	}
	item := c.doc.Paths.Value(best)
	return &routers.Route{Spec: asOpenAPI30, Path: best, PathItem: item, Method: method, Operation: item.GetOperation(method)}, bestParams
}

func matchPath(pattern, path string) (map[string]string, bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	params := map[string]string{}
	for i, segment := range want {
		if name, is := strings.CutPrefix(segment, "{"); is {
			params[strings.TrimSuffix(name, "}")] = got[i]
		} else if segment != got[i] {
			return nil, false
		}
	}
	return params, true
}

// unpacked is a body without its compression.
func unpacked(header http.Header, body []byte) ([]byte, error) {
	if header.Get("Content-Encoding") != "gzip" || len(body) == 0 {
		return body, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func truncated(text []byte) []byte { return text[:min(len(text), 2000)] }
