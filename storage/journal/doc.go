// Package journal keeps what happened to the assets of a deployment: the audit, which has an entry for every effective write, and the
// earlier versions of reports. Both are written in the very transaction of the write that they tell of: Note and Archive add to it, and
// Lua defines what they call.
//
// An entry says who changed which asset from where, and names what changed by JSON pointers into what an answer shows of the asset; never
// what it was or is. Runs, and what placing and refreshing leave as time stamps, checksums and sizes of blocks, are no part of the audit.
package journal
