package xlsx

import (
	"context"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/xml"
)

var _ host.Identified = (*session)(nil)

// identity is what the workbook says of itself.
func (wb *workbook) identity() host.Identity {
	n, _ := wb.named(host.DocumentName)
	return host.ParseIdentity(strings.TrimSpace(n.ref))
}

// setIdentity returns the edits that make the workbook say which one it is, and a new name for that.
func (wb *workbook) setIdentity(i host.Identity) (edits []xml.Edit, elements []byte) {
	if i == (host.Identity{}) || i == wb.identity() {
		return nil, nil
	}
	if old, ok := wb.named(host.DocumentName); ok {
		return []xml.Edit{{From: old.from, To: old.to, With: xml.AppendText(nil, i.Formula(), false)}}, nil
	}
	return nil, wb.appendName(nil, host.DocumentName, i.Formula())
}

// Identity is host.Identified's.
func (s *session) Identity(ctx context.Context) (host.Identity, error) {
	if err := s.current(ctx); err != nil {
		return host.Identity{}, err
	}
	return s.wb.identity(), nil
}

// Identify is host.Identified's.
func (s *session) Identify(i host.Identity) { s.identity = host.ParseIdentity(i.String()) }

// Prove is host.Finder's. Of the file it reads the workbook part alone, also while a spreadsheet program has it open: who asks for a file
// mostly has.
func (x *Folder) Prove(ctx context.Context, document string, budget *host.Budget) (host.Identity, error) {
	if err := ctx.Err(); err != nil {
		return host.Identity{}, err
	}
	if err := budget.Take(1); err != nil {
		return host.Identity{}, err
	}
	folder, err := openFolder(x.dir)
	if err != nil {
		return host.Identity{}, fileFault(document, err)
	}
	defer folder.close()
	name, seen, err := folder.locate(document)
	if err != nil {
		return host.Identity{}, unopened(document, err)
	}
	p, err := folder.openXLSX(document, name, seen)
	if err != nil {
		return host.Identity{}, unopened(document, err)
	}
	defer p.close()
	wb, err := p.workbook()
	if err != nil {
		return host.Identity{}, unopened(document, err)
	}
	return wb.identity(), nil
}
