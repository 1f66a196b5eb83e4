package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

var _ host.Identified = (*session)(nil)

// Identity is host.Identified's. It asks for the name together with the document: that the name is missing says nothing of a document which is.
func (s *session) Identity(ctx context.Context) (host.Identity, error) {
	if s.known {
		n, _ := s.named(host.DocumentName)
		return host.ParseIdentity(n.Value), nil
	}
	requests := []request{s.identityRequest(), newGet(s.item(s.document) + "?$select=id")}
	if err := rest.TakeQuota(ctx, s.limiter, s.faults, s.quotas, len(requests)); err != nil {
		return host.Identity{}, err
	}
	if s.service.id != "" {
		requests[0].Headers = map[string]string{"workbook-session-id": s.service.id}
	}
	replies, err := s.together(ctx, requests)
	if err == nil {
		err = s.refused(replies[1])
	}
	if err != nil {
		return host.Identity{}, s.fault(ctx, s.document, err)
	}
	return s.identityIn(ctx, replies[0])
}

// identityRequest asks for the name that says which document it is, identityIn reads the reply.
func (s *session) identityRequest() request {
	return newGet(s.pathOfName(host.DocumentName) + "?$select=name,value")
}

func (s *session) identityIn(ctx context.Context, r reply) (host.Identity, error) {
	var n definedName
	switch err := s.decode(r, &n); {
	case rest.IsStatus(err, http.StatusNotFound) && !isGoneSession(err):
		return host.Identity{}, nil
	case err != nil:
		return host.Identity{}, s.fault(ctx, s.document, err)
	}
	return host.ParseIdentity(n.Value), nil
}

// Identify is host.Identified's.
func (s *session) Identify(i host.Identity) { s.identity = host.ParseIdentity(i.String()) }

// add is the step that adds a name to the workbook.
func (s *session) add(name, reference, comment string) (step, error) {
	body, err := json.Marshal(map[string]string{"name": name, "reference": "=" + reference, "comment": comment})
	return step{request: sendBody(http.MethodPost, s.workbook(s.document)+"/names/add", body), adds: name}, err
}

// oldHides is how many names of earlier writes one hides: a batch has them all.
const oldHides = batchRequests / 2

// appendBeside appends the steps that have the workbook say which one it is, and those that hide names from people: the service adds names
// that are seen.
func (w *writing) appendBeside(steps []step) ([]step, error) {
	own, err := w.identitySteps()
	if err != nil {
		return nil, err
	}
	added := map[string]bool{}
	for _, s := range append(steps, own...) {
		if s.adds != "" {
			added[strings.ToLower(s.adds)] = true
			own = append(own, w.hide(s.adds))
		}
	}
	hidden := 0
	for _, n := range w.names {
		ours := host.IsMarker(n.Name) || strings.EqualFold(n.Name, host.DocumentName)
		if n.Visible && ours && !added[strings.ToLower(n.Name)] && hidden < oldHides {
			own = append(own, w.hide(n.Name))
			hidden++
		}
	}
	for i := range own {
		own[i].beside = true
	}
	return append(steps, own...), nil
}

// identitySteps have the workbook say which one it is, unless it does. The API cannot change what a name refers to.
func (w *writing) identitySteps() (steps []step, err error) {
	old, there := w.named(host.DocumentName)
	if w.identity == (host.Identity{}) || host.ParseIdentity(old.Value) == w.identity {
		return nil, nil
	}
	if there {
		steps = append(steps, step{request: sendBody(http.MethodDelete, w.pathOfName(host.DocumentName), nil)})
	}
	add, err := w.add(host.DocumentName, w.identity.Formula(), "Says which document this is, to the reports that are placed in it.")
	return append(steps, add), err
}

// hide is the step that hides a name from people.
func (s *session) hide(name string) step {
	return step{request: sendBody(http.MethodPatch, s.pathOfName(name), []byte(`{"visible":false}`))}
}
