// Package xlsx is the host of .xlsx files in a folder. It edits the parts of a workbook's archive in place: what it does not understand is
// copied byte by byte, and a file is replaced whole or not at all.
//
// An archive is the zip file, a part a file within it, a region the cells that are read of a sheet, a sheetPatch a patch seen from its
// sheet's corner. A sheet is read as a stream, so memory depends on what a block holds and not on the workbook. What cannot be written
// without harm, such as a locked cell or a signed workbook, is refused and named.
package xlsx
