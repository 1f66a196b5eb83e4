package xlsx

import (
	"archive/zip"
	"context"
	"slices"

	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
	"mooring/refresh/host/xlsx/shift"
	"mooring/refresh/host/xlsx/xml"
)

// writer makes the new file out of the old one and patches.
type writer struct {
	ctx     context.Context
	archive *archive.Archive
	parts   *sheet.Sheets
	wb      *part.Workbook
	draft   *archive.Draft
	patches []*sheet.BlockPatch          // in the caller's order
	sheets  map[*zip.File]*sheet.Patches // those with cells to change, by their parts
	styles  *part.Styles                 // nil when no patch has formats
	marks   bool                         // a marker changes
	moves   shift.Moves                  // how cells move
	moving  map[*zip.File]part.Sheet     // sheets that change because cells move
	follows host.Follow                  // of the sheets on which none does
}

// newWriter reads what it takes to apply patches to a workbook and refuses those that cannot be applied.
func newWriter(ctx context.Context, a *archive.Archive, parts *sheet.Sheets, wb *part.Workbook, targets []*target, names ownNames) (*writer, error) {
	w := &writer{
		ctx: ctx, archive: a, parts: parts, wb: wb, draft: archive.NewDraft(ctx, a), sheets: map[*zip.File]*sheet.Patches{}, moving: map[*zip.File]part.Sheet{},
	}
	if err := w.plan(targets); err != nil {
		return nil, err
	}
	if err := w.moveCells(); err != nil {
		return nil, classify(a, err)
	}
	edits := w.name(names)
	if len(w.sheets)+len(w.moving) > 0 {
		edits = append(edits, w.wb.Recalculate()...)
		if err := w.prepare(); err != nil {
			return nil, err
		}
	}
	if len(edits) > 0 {
		w.draft.Set(w.wb.Part, xml.Apply(w.wb.Doc, edits))
	}
	return w, nil
}

// plan checks each patch where its block stands once cells have moved, and puts those of one sheet together.
func (w *writer) plan(targets []*target) error {
	for _, x := range targets {
		if err := x.find(w.archive, w.wb); err != nil {
			return err
		}
	}
	p := planner{document: w.archive.Document, wb: w.wb, targets: targets, moves: &w.moves}
	if err := p.plan(); err != nil {
		return err
	}
	bySheet := map[part.Sheet][]*sheet.BlockPatch{}
	for _, t := range targets {
		x := sheet.NewBlockPatch(t.Patch, t.stood, t.before, t.table)
		w.patches = append(w.patches, x)
		if err := w.check(x); err != nil {
			return err
		}
		if x.TouchesAny() {
			in, _ := w.wb.Find(x.Block.Sheet)
			bySheet[in] = append(bySheet[in], x)
		}
	}
	for in, some := range bySheet {
		w.sheets[w.archive.Part(in.Part)] = sheet.NewPatches(w.archive.Document, in, some)
	}
	return nil
}

// name returns the edits of the workbook's names: the patches' markers, stamps and cells of parameters, and which workbook it is.
func (w *writer) name(own ownNames) []xml.Edit {
	patches := make([]host.Patch, len(w.patches))
	for i, x := range w.patches {
		patches[i] = x.Patch
	}
	edits, names := w.wb.SetMarkers(patches)
	w.marks = len(edits)+len(names) > 0
	if !w.nothing() {
		stamps, more := w.wb.SetStamps(patches)
		edits, names = append(edits, stamps...), append(names, more...)
		cells, added := w.wb.SetParameters(parametersNow(w.patches, own.moved, w.moves.By))
		edits, names = append(edits, cells...), append(names, added...)
		says, another := w.wb.SetIdentity(own.identity)
		edits, names = append(edits, says...), append(names, another...)
	}
	return append(edits, w.wb.AddNames(names)...)
}

// prepare makes what stands around the blocks follow them: tables, formulas and formats beside them.
func (w *writer) prepare() (err error) {
	frames := frames{ctx: w.ctx, archive: w.archive, parts: w.parts, wb: w.wb, draft: w.draft}
	for _, patch := range w.sheets {
		if err := frames.set(patch); err != nil {
			return err
		}
		patch.Follow()
	}
	if err := w.readFills(); err != nil {
		return err
	}
	if w.parts.IsProtected() || slices.ContainsFunc(w.patches, func(x *sheet.BlockPatch) bool { return x.Formatted() }) {
		w.styles, err = part.LoadStyles(w.draft, w.wb)
	}
	return err
}

// nothing reports that the file is as the patches want it.
func (w *writer) nothing() bool { return len(w.sheets)+len(w.moving) == 0 && !w.marks }
