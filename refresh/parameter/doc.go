// Package parameter knows with which values placements are queried: what they say themselves, what stands in the cells of their documents from
// which they take values, and what their reports say without.
package parameter
