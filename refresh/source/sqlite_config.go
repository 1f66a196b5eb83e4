package source

import (
	"context"
	"errors"
	"path/filepath"
)

// SQLiteConfig is the configuration of an SQLite file.
type SQLiteConfig struct {
	Limits `yaml:",inline"`
	Path   string `yaml:"path"` // the file
}

var _ Config = (*SQLiteConfig)(nil)

// Resolve makes the file's path relative to dir.
func (c *SQLiteConfig) Resolve(dir string) {
	if c.Path != "" && !filepath.IsAbs(c.Path) {
		c.Path = filepath.Join(dir, c.Path)
	}
}

// Open makes the source. Each of its queries opens the file anew.
func (c *SQLiteConfig) Open(context.Context) (Source, error) {
	var missing error
	if c.Path == "" {
		missing = errors.New("path: missing; kind sqlite needs it")
	}
	if err := errors.Join(missing, c.check()); err != nil {
		return nil, err
	}
	own := *c
	own.Limits = c.withDefaults(DefaultStatementTimeout)
	return &sqlite{config: own, name: filepath.Base(c.Path), slots: make(slots, own.MaxConnections)}, nil
}
