// Package house holds what the packages of the module are to each other: which may import which, that each is explained, how far their files
// are untangled, how many methods a type has, which names mean two things on one way, that the modules of the faces form no circle, and
// that the commands by which figures were measured name tests that there are. It has tests alone.
package house
