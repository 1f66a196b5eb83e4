// Package bounds splits a YAML text into tokens, unless the library would take too long to read it.
//
// The library takes time that grows with the square of some things: how many keys stand side by side, how deep values are nested, how many
// documents a text has and how many blank lines end a block of text. Each is bounded here, for the configuration and for files of assets.
package bounds
