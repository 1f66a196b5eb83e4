package sqlite

import (
	"context"

	"mooring/refresh/source"
)

// Kind is a kind of source that is no SQLite file: its queries run on Tables, each in a child of this program.
type Kind struct {
	Argument string // as the only argument of the program, starts it as a child
	// Open returns what is at a path; it is called in the child. Its error is the fault of every query.
	Open func(path string) (Tables, error)
}

// RunAsChild runs the query that this process was started for and ends the process, if a source of the kind started it. A program that opens
// such sources calls it first in main, and its tests in TestMain.
func (k Kind) RunAsChild() { runAsChild(k.Argument, k.Open) }

// Engine is what a source of a Kind is made of. All that a source of an SQLite file can do it does in the same way, but for Probe, which is the
// kind's own.
type Engine struct{ *database }

// Engine returns the engine for what is at path. Limits that are zero are the defaults.
func (k Kind) Engine(path string, limits source.Limits) Engine {
	config := Config{Path: path, Limits: limits.WithDefaults(source.DefaultStatementTimeout)}
	return Engine{newDatabase(config, k.Argument)}
}

// Faults returns the faults of the tables that cannot be read.
func (e Engine) Faults(ctx context.Context) (faults []string, err error) {
	err = e.run(ctx, childRequest{Catalog: true}, func(r *resultReader) error {
		list, err := r.columns()
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.Fault != "" {
				faults = append(faults, c.Fault)
			}
		}
		_, err = r.next()
		return err
	})
	return faults, err
}
