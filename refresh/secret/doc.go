// Package secret holds the texts of a configuration that must not be shown.
package secret
