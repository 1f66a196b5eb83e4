// Package sheet reads and writes the rows of a sheet part as a stream.
//
// Passes read regions, the rectangles that blocks stand in. A BlockPatch is a patch seen from its sheet's corner, Patches are those of one sheet,
// and Splice copies the part with them applied: the cells that they write or clear, what is to stand beside the rows that a block gains, and
// nothing else. What may not be overwritten is refused.
//
// A part that was written here consists of segments of rows. Those of which it is Known that they hold what is likely are not read, and those that
// a patch leaves alone are copied as they are packed, unless what stands in them concerns other cells, as a formula does.
package sheet
