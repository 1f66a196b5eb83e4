package xlsx

import (
	"context"

	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
)

var _ host.Identified = (*session)(nil)

// Identity is host.Identified's.
func (s *session) Identity(ctx context.Context) (host.Identity, error) {
	if err := s.current(ctx); err != nil {
		return host.Identity{}, err
	}
	return s.wb.Identity(), nil
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
	folder, err := archive.OpenDir(x.dir)
	if err != nil {
		return host.Identity{}, archive.FileFault(document, err)
	}
	defer folder.Close()
	name, seen, err := folder.Locate(document)
	if err != nil {
		return host.Identity{}, unopened(document, err)
	}
	p, err := folder.OpenArchive(document, name, seen)
	if err != nil {
		return host.Identity{}, unopened(document, err)
	}
	defer p.Close()
	wb, err := part.ReadWorkbook(p)
	if err != nil {
		return host.Identity{}, unopened(document, err)
	}
	return wb.Identity(), nil
}
