// Package cursor follows the rows and cells of a sheet part: where each stands, whether their references are written or left out.
package cursor
