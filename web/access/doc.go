// Package access loads the assets that several rooms refer to, and judges what the caller of a request may do with them.
package access
