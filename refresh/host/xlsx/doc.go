// Package xlsx is the host of .xlsx files in a folder. It edits the parts of a workbook's archive in place: what it does not understand is
// copied byte by byte, and a file is replaced whole or not at all.
//
// A session finds the blocks of a workbook, reads them and writes patches: the patches are planned where their blocks stand, what refers to cells
// that move follows them, and a new file is written. Below it, each package knows the one behind it: sheet reads and splices the rows of a
// sheet, part reads the other parts that blocks depend on and returns them edited, archive is the file and its zip. Package shift moves cells, and
// xml scans a part. A sheet is read as a stream, so memory depends on what a block holds and not on the workbook. What cannot be written without
// harm, such as a locked cell or a signed workbook, is refused and named.
package xlsx
