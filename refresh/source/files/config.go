package files

import (
	"context"
	"errors"
	"path/filepath"

	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// Config is the configuration of a folder of files.
type Config struct {
	source.Limits `yaml:",inline"`
	Dir           string `yaml:"dir"` // the folder
}

var _ source.Config = (*Config)(nil)

// kind is how queries run.
var kind = sqlite.Kind{Argument: "files-query", Open: func(path string) (sqlite.Tables, error) { return openFolder(path) }}

// RunAsChild runs the query that this process was started for and ends the process, if a source of this package started it.
func RunAsChild() { kind.RunAsChild() }

// Paths returns the folder's path.
func (c *Config) Paths() []*string { return []*string{&c.Dir} }

// Open makes the source. Each of its queries opens the folder anew.
func (c *Config) Open(context.Context) (source.Source, error) {
	var missing error
	if c.Dir == "" {
		missing = errors.New("dir: missing; kind files needs it")
	}
	if err := errors.Join(missing, c.Check()); err != nil {
		return nil, err
	}
	return &files{Engine: kind.Engine(filepath.Clean(c.Dir), c.Limits), dir: filepath.Clean(c.Dir)}, nil
}
