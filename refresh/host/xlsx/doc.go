// Package xlsx is the host of .xlsx files in a folder. It edits the parts of a workbook's archive in place: what it does not
// understand is copied byte by byte.
//
// An archive is the zip file, a part a file within it, a region the cells that are read of a sheet, a sheetPatch a patch seen from its
// sheet's corner.
package xlsx
