// Package archive is an .xlsx as a file: a zip of parts under a folder, which is read in part and replaced whole.
//
// A Dir is the folder, and no path leads out of it. An Archive is an open file, whose parts are unpacked within bounds. A Draft is what a new file
// has other than an old one, and a Zip writes it. A Part is packed in segments which do not need each other, so that a later reader can leave some
// out and a later writer can copy them; other programs read it as any part. An index of them is kept beside it, which says so much of the bytes that
// damaged ones, and those of other programs, do not match it. It is no defence against someone who makes an index for bytes of their own. A file
// is replaced in one step, and only while it is the one that was seen. Errors are faults that name the document.
package archive
