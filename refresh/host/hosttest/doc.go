// Package hosttest is what every host.Driver must do: a suite that acts on a document through the host and, as a person would, beside it.
package hosttest
