package xlsx

import (
	"archive/zip"
	"compress/flate"
	"io"
	"strings"
)

// write makes the new file. Parts that stay are copied as packed, in their order; those that depend on what stood in the rows
// come after the sheets.
func (w *writer) write(out io.Writer) error {
	zw := zip.NewWriter(out)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	held := w.dependents()
	for _, f := range w.zip.File {
		if held[f] || w.dropped[f] {
			continue
		}
		if err := w.writePart(zw, f); err != nil {
			return err
		}
	}
	if err := w.settle(); err != nil {
		return err
	}
	for _, f := range w.zip.File {
		if !held[f] {
			continue
		}
		if err := w.writePart(zw, f); err != nil {
			return err
		}
	}
	for name, doc := range w.added {
		if err := create(zw, &zip.FileHeader{Name: name}, doc); err != nil {
			return err
		}
	}
	if err := zw.SetComment(w.zip.Comment); err != nil {
		return err
	}
	return zw.Close()
}

// dependents are the parts that cannot be written before the sheets are.
func (w *writer) dependents() map[*zip.File]bool {
	if len(w.sheets) == 0 {
		return nil
	}
	return map[*zip.File]bool{
		w.part(w.wb.related("styles")):    true,
		w.part(w.wb.related("calcChain")): true,
		w.part(relationsOf(w.wb.part)):    true,
	}
}

// writePart writes one part: a sheet with its patches applied, a part replaced, or, as it was packed, one that stays.
func (w *writer) writePart(zw *zip.Writer, f *zip.File) error {
	sheet, patched := w.sheets[f]
	if _, moves := w.moving[f]; patched || moves {
		return w.writeSheet(zw, f, sheet)
	}
	if doc, ok := w.new[f]; ok {
		return create(zw, &f.FileHeader, doc)
	}
	if strings.HasSuffix(f.Name, "/") { // a folder, which some programs pack as two bytes
		_, err := zw.CreateHeader(&f.FileHeader)
		return err
	}
	return zw.Copy(f)
}

// writeSheet writes a sheet with its cells moved and patches, if there are any, applied. It unpacks and packs the sheet as it goes.
func (w *writer) writeSheet(zw *zip.Writer, f *zip.File, sheet *partPatch) error {
	in, err := w.openMoved(f)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := zw.CreateHeader(fresh(&f.FileHeader))
	if err != nil {
		return err
	}
	if sheet != nil {
		err = w.splice(f, in, out, sheet)
	} else if _, err = io.Copy(out, in); w.shuffle(f, err) {
		err = errXLSXAgain
	}
	if moved, ok := in.(*movedSheet); ok && err == nil {
		moved.Close()
		w.shown(w.moving[f].name, moved.followed.Shown)
	}
	return err
}

// splice applies the patches of a sheet.
func (w *writer) splice(f *zip.File, in io.Reader, out io.Writer, sheet *partPatch) error {
	s := newSplicer(in, out, sheet, w.styles)
	s.rules.protection = w.protected[f]
	if err := s.run(); err != nil {
		if w.shuffle(f, err) {
			return errXLSXAgain
		}
		return err
	}
	if s.protection != nil && w.protected[f] == nil {
		w.protected[f] = s.protection
		return errXLSXAgain
	}
	sheet.gone = s.rules.formulas
	return nil
}

// fresh is the header of a part whose content is new.
func fresh(old *zip.FileHeader) *zip.FileHeader {
	return &zip.FileHeader{
		Name: old.Name, Method: zip.Deflate, Modified: old.Modified, ExternalAttrs: old.ExternalAttrs,
		CreatorVersion: old.CreatorVersion,
	}
}

func create(zw *zip.Writer, old *zip.FileHeader, doc []byte) error {
	out, err := zw.CreateHeader(fresh(old))
	if err != nil {
		return err
	}
	_, err = out.Write(doc)
	return err
}

// settle makes the parts that depend on the sheets.
func (w *writer) settle() error {
	if w.styles != nil {
		if doc := w.styles.changed(); doc != nil {
			w.set(w.wb.related("styles"), doc)
		}
	}
	chain := w.wb.related("calcChain")
	if w.part(chain) == nil || !w.lostFormulas() {
		return nil
	}
	doc, err := w.current(chain)
	if err != nil {
		return err
	}
	left := 0
	for _, sheet := range w.sheets {
		if doc, left, err = pruneCalcChain(doc, sheet.id, sheet.gone); err != nil {
			return w.broken(err)
		}
	}
	if left > 0 {
		w.set(chain, doc)
		return nil
	}
	return w.dropCalcChain()
}

// lostFormulas reports whether a formula was overwritten by a value.
func (w *writer) lostFormulas() bool {
	for _, sheet := range w.sheets {
		if len(sheet.gone) > 0 {
			return true
		}
	}
	return false
}

// dropCalcChain takes out what refers to the calculation chain, which may not be empty. One that nothing refers to does not count, and
// goes at the next save.
func (w *writer) dropCalcChain() error {
	relations, err := w.current(relationsOf(w.wb.part))
	if err != nil {
		return err
	}
	if relations, err = dropRelation(relations, "calcChain"); err != nil {
		return w.broken(err)
	}
	w.set(relationsOf(w.wb.part), relations)
	return nil
}
