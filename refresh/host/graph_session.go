package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"mooring/placements"
)

// graphSession is a document and what the session's requests told of it. The service's own session, which keeps what is written
// together, is opened for each Write.
type graphSession struct {
	*Graph
	document string
	cTag     string // of the state that the session read or left; empty before the first request
	known    bool   // sheets and names are as they were last read; not so after a write
	sheets   []graphSheet
	names    []graphName // of the workbook
	read     standings
}

// Open is Host's. It sends nothing: the first Read or Write finds out whether the document is there.
func (g *Graph) Open(ctx context.Context, document string) (Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := g.faults.invalidDocument(document); err != nil {
		return nil, err
	}
	return &graphSession{Graph: g, document: document}, nil
}

// Close ends the session. The service's own sessions were closed by the writes that opened them.
func (s *graphSession) Close() error { return nil }

// overview are the requests that tell what is in the document.
func (s *graphSession) overview() []graphRequest {
	return []graphRequest{
		s.tagRequest(),
		graphGet(s.workbook(s.document) + "/worksheets?$select=id,name"),
		graphGet(s.workbook(s.document) + "/names?$select=name,value,scope"),
	}
}

func (s *graphSession) tagRequest() graphRequest {
	return graphGet(s.item(s.document) + "?$select=cTag")
}

// learn reads the replies to overview.
func (s *graphSession) learn(ctx context.Context, replies []graphReply) error {
	if err := s.sameTag(replies[0]); err != nil {
		return err
	}
	var err error
	if s.sheets, err = graphList[graphSheet](ctx, s.Graph, replies[1]); err != nil {
		return err
	}
	names, err := graphList[graphName](ctx, s.Graph, replies[2])
	if err != nil {
		return err
	}
	s.names = s.names[:0]
	for _, n := range names {
		if n.Scope != "Worksheet" {
			s.names = append(s.names, n)
		}
	}
	s.known = true
	return nil
}

// sameTag reads a reply to tagRequest, and takes note of the first. Another one is a Transient fault.
func (s *graphSession) sameTag(reply graphReply) error {
	var item graphItem
	if err := s.decode(reply, &item); err != nil {
		return err
	}
	if s.cTag == "" {
		s.cTag = item.CTag
	}
	if s.cTag != item.CTag {
		return s.faults.changed(s.document, nil)
	}
	return nil
}

// graphList reads a reply that lists something, and what follows if the service gives it in parts.
func graphList[T any](ctx context.Context, g *Graph, reply graphReply) ([]T, error) {
	var part struct {
		Value []T    `json:"value"`
		Next  string `json:"@odata.nextLink"`
	}
	if err := g.decode(reply, &part); err != nil {
		return nil, err
	}
	all := part.Value
	for part.Next != "" {
		path, ok := strings.CutPrefix(part.Next, g.rest.base)
		if !ok {
			return nil, errors.New("answer: the list goes on elsewhere")
		}
		replies, err := g.batch(ctx, []graphRequest{graphGet(path)})
		if err != nil {
			return nil, err
		}
		part.Value, part.Next = nil, ""
		if err := g.decode(replies[0], &part); err != nil {
			return nil, err
		}
		all = append(all, part.Value...)
	}
	return all, nil
}

// decode reads a reply's body, or returns its *refusal.
func (g *Graph) decode(reply graphReply, into any) error {
	if err := g.refused(reply); err != nil {
		return err
	}
	return json.Unmarshal(reply.Body, into)
}

// marker is what a placement's marker refers to. ok is false when there is none; a marker that marks nothing any more has no Sheet.
func (s *graphSession) marker(placementID string) (l placements.Location, ok bool) {
	name := xlsxMarkerName(placementID)
	for _, n := range s.names {
		if strings.EqualFold(n.Name, name) {
			l, _ = parseGraphMarker(n.Value)
			return l, true
		}
	}
	return l, false
}

// sheet finds a sheet by its name, whatever the case.
func (s *graphSession) sheet(name string) (graphSheet, bool) {
	for _, sheet := range s.sheets {
		if sheet.named(name) {
			return sheet, true
		}
	}
	return graphSheet{}, false
}

// sheetOf finds the sheet of a block by its id, or else by its name.
func (s *graphSession) sheetOf(b Block) (graphSheet, bool) {
	for _, sheet := range s.sheets {
		if b.SheetID != "" && sheet.ID == b.SheetID {
			return sheet, true
		}
	}
	return s.sheet(b.Sheet)
}

// namePath is the path of a placement's marker.
func (s *graphSession) namePath(placementID string) string {
	return s.workbook(s.document) + "/names" + odataKey(xlsxMarkerName(placementID))
}
