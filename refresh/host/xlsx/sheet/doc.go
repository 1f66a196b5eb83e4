// Package sheet reads and writes the rows of a sheet part as a stream.
//
// Passes read regions, the rectangles that blocks stand in. A BlockPatch is a patch seen from its sheet's corner, Patches are those of one sheet,
// and Splice copies the part with them applied: the cells that they write or clear, what is to stand beside the rows that a block gains, and
// nothing else. What may not be overwritten is refused.
package sheet
