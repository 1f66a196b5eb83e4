// Package archive is an .xlsx as a file: a zip of parts under a folder, which is read in part and replaced whole.
//
// A Dir is the folder, and no path leads out of it. An Archive is an open file, whose parts are unpacked within bounds. A Draft is what a new file
// has other than an old one. A file is replaced in one step, and only while it is the one that was seen. Errors are faults that name the document.
package archive
