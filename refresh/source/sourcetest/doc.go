// Package sourcetest is the conformance suite of sources: what every implementation of source.Source has to do alike.
package sourcetest
