// Package history shows runs: what of them a caller may see, and pages of them, the latest first.
package history
