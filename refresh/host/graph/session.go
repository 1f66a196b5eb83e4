package graph

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// session is a document and what the session's requests told of it.
type session struct {
	*Workbooks
	document string
	library  library // that has it
	service  serviceSession
	stale    bool // others changed the document since it was read
	known    bool // sheets and names are as they were last read; not so after a write
	sheets   []sheet
	names    []definedName // of the workbook
	identity host.Identity // that the next write has the workbook say
	read     rest.Standings

	parameters rest.ParameterMoves
	date1904   bool // as far as the cells of parameters were read

	rangeCells int // most cells of a range
	halvings   int // of that
}

var _ host.Follower = (*session)(nil)

// overview are the requests that tell what is in the document.
func (s *session) overview() []request {
	return []request{
		newGet(s.workbook(s.document) + "/worksheets?$select=id,name"),
		newGet(s.workbook(s.document) + "/names?$select=name,value,scope,comment,visible"),
	}
}

// learn reads the replies to overview.
func (s *session) learn(ctx context.Context, replies []reply) error {
	var err error
	if s.sheets, err = list[sheet](ctx, s, replies[0]); err != nil {
		return err
	}
	names, err := list[definedName](ctx, s, replies[1])
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

// list reads a reply that lists something, and what follows if the service sends it in parts.
func list[T any](ctx context.Context, s *session, reply reply) ([]T, error) {
	var part struct {
		Value []T    `json:"value"`
		Next  string `json:"@odata.nextLink"`
	}
	if err := s.decode(reply, &part); err != nil {
		return nil, err
	}
	all := part.Value
	for part.Next != "" {
		path, ok := strings.CutPrefix(part.Next, s.rest.Base)
		if !ok {
			return nil, errors.New("answer: the list goes on elsewhere")
		}
		replies, err := s.send(ctx, []request{newGet(path)})
		if err != nil {
			return nil, err
		}
		part.Value, part.Next = nil, ""
		if err := s.decode(replies[0], &part); err != nil {
			return nil, err
		}
		all = append(all, part.Value...)
	}
	return all, nil
}

// marker is what a placement's marker refers to. ok is false when there is none; a marker that marks nothing any more has no Sheet.
func (s *session) marker(placementID string) (l placements.Location, ok bool) {
	n, ok := s.named(host.MarkerName(placementID))
	if ok {
		l, _ = parseGraphMarker(n.Value)
	}
	return l, ok
}

// stamp is what the comment of a placement's marker says.
func (s *session) stamp(placementID string) string {
	n, _ := s.named(host.MarkerName(placementID))
	return n.Comment
}

// sheet finds a sheet by its name, whatever the case.
func (s *session) sheet(name string) (sheet, bool) {
	for _, sheet := range s.sheets {
		if sheet.named(name) {
			return sheet, true
		}
	}
	return sheet{}, false
}

// marked are the blocks that were read, and all others that have a marker.
func (s *session) marked() rest.Standings {
	all := s.read
	for _, n := range s.names {
		l, ok := parseGraphMarker(n.Value)
		if sheet, found := s.sheet(l.Sheet); ok && found && s.marksBlock(n.Name) {
			all = all.With(sheet.ID, l.Anchor, checksum.Extent{Rows: l.Rows, Columns: l.Columns})
		}
	}
	return all
}

// marksBlock reports whether a name marks a block, or a single cell beside one, and not cells that a parameter of another block takes its
// value from.
func (s *session) marksBlock(name string) bool {
	if of, ok := host.ParameterOf(name); ok {
		if _, there := s.named(of); there {
			return false
		}
	}
	return host.IsMarker(name)
}

// sheetNames are the names of all sheets, in their order.
func (s *session) sheetNames() (names []string) {
	for _, sheet := range s.sheets {
		names = append(names, sheet.Name)
	}
	return names
}

// sheetOf finds the sheet of a block by its id, or else by its name.
func (s *session) sheetOf(b host.Block) (sheet, bool) {
	for _, sheet := range s.sheets {
		if b.SheetID != "" && sheet.ID == b.SheetID {
			return sheet, true
		}
	}
	return s.sheet(b.Sheet)
}

// namePath is the path of a placement's marker.
func (s *session) namePath(placementID string) string {
	return s.pathOfName(host.MarkerName(placementID))
}

// pathOfName is the path of a name of the workbook.
func (s *session) pathOfName(name string) string {
	return s.workbook(s.document) + "/names" + odataKey(name)
}

// named finds a name of the workbook, without regard to case.
func (s *session) named(name string) (definedName, bool) {
	for _, n := range s.names {
		if strings.EqualFold(n.Name, name) {
			return n, true
		}
	}
	return definedName{}, false
}

// serviceSession is the service's own session on a workbook, which keeps together what is read and written. It ends by itself after some
// minutes without a request.
type serviceSession struct {
	id      string // empty while none is open
	refused bool   // the service opens none for us
}

// item is the path of a document.
func (s *session) item(document string) string {
	return s.library.path() + "/items/" + url.PathEscape(document)
}

// workbook is the path of a document's workbook.
func (s *session) workbook(document string) string { return s.item(document) + "/workbook" }

// odataKey writes a key as the API's addresses take it: in apostrophes, those inside doubled. A + would be read as a space in batches.
func odataKey(key string) string {
	return "('" + strings.ReplaceAll(url.PathEscape(strings.ReplaceAll(key, "'", "''")), "+", "%2B") + "')"
}
