// Package catalog keeps what sources list of themselves, so that people who build queries can search it key by key: a source is asked once
// in ten minutes, for each person where what it lists depends on that.
package catalog
