// Package probe watches for changes of a source's data. One watcher of all that there are asks the source, now and then or when the source
// announces something, and tells each change once, after it has been quiet for a moment.
//
// A change is told first and its value kept then: a watcher that dies in between is followed by one that tells the change again, and its
// target knows it for the same by its number and value, where it has one.
package probe
