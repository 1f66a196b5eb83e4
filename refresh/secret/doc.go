// Package secret holds the texts of a configuration that must not be shown: a Text prints as stars wherever it is formatted, logged or
// encoded.
package secret
