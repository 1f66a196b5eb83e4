// Package face holds the pages that people use: the task pane, the console and the demo. A face is one of them, a folder of ES modules,
// embedded as they are written and sent without comments and blanks; all faces together are one tree, since they share modules.
//
// The page of a face has a stable address and is asked for anew each time; all else lies below a hash of the tree and never changes there.
// The page's base address leads below the hash, so that its own addresses are relative to the root of the tree. The package does no HTTP:
// it says what a file's headers are.
package face
