package sqlite

import (
	"context"
	"errors"

	"mooring/refresh/source"
)

// Config is the configuration of an SQLite file.
type Config struct {
	source.Limits `yaml:",inline"`
	Path          string `yaml:"path"` // the file
}

var _ source.Config = (*Config)(nil)

// Paths returns the file's path.
func (c *Config) Paths() []*string { return []*string{&c.Path} }

// Open makes the source. Each of its queries opens the file anew.
func (c *Config) Open(context.Context) (source.Source, error) {
	var missing error
	if c.Path == "" {
		missing = errors.New("path: missing; kind sqlite needs it")
	}
	if err := errors.Join(missing, c.Check()); err != nil {
		return nil, err
	}
	own := *c
	own.Limits = c.WithDefaults(source.DefaultStatementTimeout)
	return newDatabase(own, childArgument), nil
}
