package xlsx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

// session is an open .xlsx. Its reads and writes share one look at the workbook; after a write the new file is opened when it is
// next needed.
type session struct {
	folder         *archive.Dir
	document, name string
	seen           fs.FileInfo      // the file as the session found or left it
	p              *archive.Archive // nil when the file is not open
	parts          *sheet.Sheets    // of p
	wb             *part.Workbook
	blocks         standings
	moved          formula.Shifts // made by the session's writes since it read cells of parameters
	identity       host.Identity  // that the next write has the workbook say
	signed         bool           // the file was when it was opened first: what its signature had to allow stays refused once it is gone
}

// Open opens the file.
func (x *Folder) Open(ctx context.Context, document string) (host.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	folder, err := archive.OpenDir(x.dir)
	if err != nil {
		return nil, archive.FileFault(document, err)
	}
	s := &session{folder: folder, document: document}
	if err := s.find(); err != nil {
		folder.Close()
		return nil, unopened(document, err)
	}
	return s, nil
}

// unopened marks the fault of a file that cannot be opened as one that tells what the folder has. What passes by itself tells no more of a
// spreadsheet than opening it does.
func unopened(document string, err error) error {
	f, ok := errors.AsType[*placements.Fault](err)
	spreadsheet := strings.EqualFold(path.Ext(document), ".xlsx") || strings.EqualFold(path.Ext(document), ".xlsm")
	if !ok || f.Class == placements.Transient && spreadsheet {
		return err
	}
	marked := *f
	marked.Err = errors.Join(host.ErrUnopened, f.Err)
	return &marked
}

// find finds the file and opens it.
func (s *session) find() (err error) {
	if s.name, s.seen, err = s.folder.Locate(s.document); err != nil {
		return err
	}
	if err := s.folder.HeldOpen(s.document, s.name); err != nil {
		return err
	}
	return s.open()
}

// open reads the file's directory and its workbook part.
func (s *session) open() error {
	p, err := s.folder.OpenArchive(s.document, s.name, s.seen)
	if err != nil {
		return err
	}
	wb, err := part.ReadWorkbook(p)
	if err != nil {
		p.Close()
		return err
	}
	s.seen, s.p, s.parts, s.wb, s.signed = p.Info, p, sheet.New(p), wb, s.signed || wb.Signed
	return nil
}

// current opens the file unless it is open. A file that others changed, or have open, is a Transient fault.
func (s *session) current(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now, err := s.folder.Unchanged(s.document, s.name, s.seen)
	if err != nil {
		return err
	}
	s.seen = now // its mode may have changed
	if s.p != nil {
		return nil
	}
	return s.open()
}

// Close closes the file and the folder.
func (s *session) Close() error {
	return errors.Join(s.closeFile(), s.folder.Close())
}

func (s *session) closeFile() error {
	if s.p == nil {
		return nil
	}
	err := s.p.Close()
	s.p, s.parts, s.wb = nil, nil, nil
	return err
}

// Read is Session's. Each sheet that has a block is unpacked once, as far as its last block reaches.
func (s *session) Read(ctx context.Context, wanted []host.Wanted) ([]host.Found, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	found := make([]host.Found, len(wanted))
	var passes sheet.Passes
	for i, w := range wanted {
		at, err := s.wb.Locate(w.Block)
		if err != nil {
			found[i].Err = err
			continue
		}
		found[i].View = host.View{
			Marked: at.Marked, Doubled: at.Doubled, SheetID: at.Sheet.ID, Sheet: at.Sheet.Name, Anchor: at.Anchor, Extent: at.Extent,
			Stamp: at.Stamp,
		}
		if found[i].View.Table, err = part.TableColumns(s.p, at); err != nil {
			return nil, err
		}
		s.blocks.put(found[i].View)
		passes.Add(at.Sheet, covering(at.Anchor, at.Extent, w.Extent), w.Likely, &found[i])
	}
	if err := s.parts.Read(ctx, &passes, part.NewStrings(ctx, s.p, s.wb)); err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Err == nil {
			s.blocks.note(found[i].View, wanted[i].Extent)
		}
	}
	if len(found) > 0 {
		found[0].View.Calls = 1
	}
	return found, nil
}

// Write is Session's, in one replacement of the file. Patches without cells whose markers stand already write nothing.
func (s *session) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	if err := s.begin(ctx, patches); err != nil {
		return nil, err
	}
	for {
		written, err := s.write(ctx, patches)
		if err != sheet.ErrAgain {
			return written, err
		}
	}
}

// begin refuses patches that no session applies, and opens the file.
func (s *session) begin(ctx context.Context, patches []host.Patch) error {
	if err := host.CheckPatches(s.document, patches); err != nil {
		return err
	}
	for _, p := range patches {
		if len(p.Moves) > 0 {
			return fmt.Errorf("spreadsheet %q: an .xlsx host moves no cells", s.document)
		}
	}
	return s.current(ctx)
}

// write applies patches. After sheet.ErrAgain, which it returns at most twice a sheet, it is to be called again.
func (s *session) write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	w, err := newWriter(ctx, s.p, s.parts, s.wb, s.blocks.now(patches), ownNames{s.identity, s.moved})
	if err != nil {
		return nil, err
	}
	written := make([]host.Written, len(patches))
	if w.nothing() {
		return written, nil
	}
	if err := s.checkSigned(patches); err != nil {
		return nil, err
	}
	if s.wb.Signed {
		if err := w.draft.Unsign(w.wb.Parts()); err != nil {
			return nil, err
		}
	}
	if len(w.moves.By) == 0 {
		for _, patches := range w.sheets {
			patches.Known = s.blocks.left(patches)
		}
	}
	if err := s.replace(ctx, w); err != nil {
		return nil, err
	}
	for i, p := range w.patches {
		written[i] = p.Done
	}
	s.blocks.wrote(w.moves.By, w.patches)
	s.moved = append(s.moved, w.moves.By...)
	written[0].Calls = 1
	return written, nil
}

// replace puts the new file in the place of the old one, which it closes.
func (s *session) replace(ctx context.Context, w *writer) error {
	if s.seen.Mode().Perm()&0o222 == 0 {
		return archive.NewFault(placements.Auth, s.document, nil, "is read-only: make the file writable.")
	}
	made, err := s.folder.Replace(ctx, s.document, s.name, s.seen, w.write)
	if err != nil {
		return classify(s.p, err)
	}
	s.seen = made
	return s.closeFile()
}

// checkSigned refuses patches to a signed file that do not allow to break the signature.
func (s *session) checkSigned(patches []host.Patch) error {
	for _, p := range patches {
		if s.signed && !p.BreakSignature {
			return archive.NewFault(placements.Conflict, s.document, nil,
				`is signed, and a change would break its signature: remove the signature, place the report in a copy without one, `+
					`or set "breakSignature": true on the placement or the refresh to have it removed.`)
		}
	}
	return nil
}
