package host

import "mooring/checksum"

// Filling is the row of a block whose formulas beside it are filled down, as it was before the patch and as it is afterwards, and the
// rows that are filled.
type Filling struct {
	Was, Is int
	Gained  []checksum.Span
}

// FillsDown returns what is filled down beside a block that had so many rows. ok is false when nothing is: the block gains no rows, or had
// none below its header.
func (p *Patch) FillsDown(had int) (f Filling, ok bool) {
	list := p.Lines(had)
	f.Was, f.Is = list.Last()
	f.Gained = list.Gained()
	return f, f.Was > 0 && len(f.Gained) > 0
}
