package xlsx

import (
	"archive/zip"
	"io"

	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

// write makes the new file. Parts that stay are copied as packed, in their order; those that depend on what stood in the rows
// come after the sheets.
func (w *writer) write(out io.Writer) error {
	zw, err := archive.NewZip(out)
	if err != nil {
		return err
	}
	held := w.dependents()
	for _, f := range w.archive.Files() {
		if held[f] {
			continue
		}
		if err := w.writePart(zw, f); err != nil {
			return err
		}
	}
	if err := w.settle(); err != nil {
		return err
	}
	for _, f := range w.archive.Files() {
		if !held[f] {
			continue
		}
		if err := w.draft.Write(zw, f); err != nil {
			return err
		}
	}
	return w.draft.Finish(zw)
}

// writePart writes one part: a sheet with its cells moved and its patches applied, or another.
func (w *writer) writePart(zw *archive.Zip, f *zip.File) error {
	patch, patched := w.sheets[f]
	if _, moves := w.moving[f]; patched || moves {
		return w.writeSheet(zw, f, patch)
	}
	return w.draft.Write(zw, f)
}

// dependents are the parts that cannot be written before the sheets are.
func (w *writer) dependents() map[*zip.File]bool {
	if len(w.sheets) == 0 {
		return nil
	}
	return map[*zip.File]bool{
		w.archive.Part(w.wb.Related("styles")):         true,
		w.archive.Part(w.wb.Related("calcChain")):      true,
		w.archive.Part(archive.RelationsOf(w.wb.Part)): true,
	}
}

// writeSheet writes a sheet with its cells moved and patches, if there are any, applied. It unpacks and packs the sheet as it goes.
func (w *writer) writeSheet(zw *archive.Zip, f *zip.File, patch *sheet.Patches) error {
	out, err := zw.Create(&f.FileHeader)
	if err != nil {
		return err
	}
	if _, moves := w.moving[f]; moves {
		err = w.writeMoved(out, f, patch)
	} else {
		err = w.parts.SplicePart(w.ctx, f, out, patch, w.styles)
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// writeMoved writes a sheet with its cells moved.
func (w *writer) writeMoved(out *archive.Part, f *zip.File, patch *sheet.Patches) error {
	in, err := w.openMoved(f)
	if err != nil {
		return err
	}
	defer in.Close()
	if patch != nil {
		err = w.parts.Splice(f, in, out, patch, w.styles)
	} else if _, err = io.Copy(out, in); w.parts.Shuffle(f, err) {
		err = sheet.ErrAgain
	}
	if err == nil {
		in.Close()
		w.shown(w.moving[f].Name, in.followed.Shown)
	}
	return err
}

// settle makes the parts that depend on the sheets.
func (w *writer) settle() error {
	if w.styles != nil {
		if doc := w.styles.Changed(); doc != nil {
			w.draft.Set(w.wb.Related("styles"), doc)
		}
	}
	chain := w.wb.Related("calcChain")
	if w.archive.Part(chain) == nil || !w.lostFormulas() {
		return nil
	}
	doc, err := w.draft.Current(chain)
	if err != nil {
		return err
	}
	left := 0
	for _, patch := range w.sheets {
		if doc, left, err = part.PruneCalcChain(doc, patch.ID, patch.Gone); err != nil {
			return w.archive.Broken(err)
		}
	}
	if left > 0 {
		w.draft.Set(chain, doc)
		return nil
	}
	return w.wb.DropCalcChain(w.draft)
}

// lostFormulas reports whether a formula was overwritten by a value.
func (w *writer) lostFormulas() bool {
	for _, patch := range w.sheets {
		if len(patch.Gone) > 0 {
			return true
		}
	}
	return false
}
