package files

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// files is the source. What a query reads is read anew each time, so files that were changed, added or replaced are seen.
type files struct {
	sqlite.Engine
	dir string
}

var (
	_ source.Source    = (*files)(nil)
	_ source.Binder    = (*files)(nil)
	_ source.Describer = (*files)(nil)
	_ source.Catalog   = (*files)(nil)
	_ source.PerUser   = (*files)(nil)
	_ source.Prober    = (*files)(nil)
	_ source.Warner    = (*files)(nil)
)

// maxWarnings is how many of the tables that cannot be read are named.
const maxWarnings = 20

// Warnings names the files that cannot be read as tables.
func (s *files) Warnings(ctx context.Context, _ *time.Location) ([]string, error) {
	faults, err := s.Faults(ctx)
	if more := len(faults) - maxWarnings; more > 0 {
		faults = append(faults[:maxWarnings], fmt.Sprintf("%d more tables cannot be read", more))
	}
	return faults, err
}

// Probes wants nothing, or a query.
func (s *files) Probes(p source.Probe) error {
	if p.Listen != "" {
		return errors.New("listen: files announce nothing; leave it out, and the folder is looked at")
	}
	if p.Query == "" {
		return nil
	}
	return source.InQuery(source.WantSQL(source.Query{SQL: p.Query}))
}

// Probe returns a digest of the query's result; without one, of the names, sizes and times of all files that are tables.
func (s *files) Probe(ctx context.Context, query string) (string, error) {
	if query != "" {
		return source.ProbeQuery(ctx, s, source.Query{SQL: query})
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return sqlite.Stamp(ctx, s.look)
}

// look tells the files as they are, and when the last of them was written.
func (s *files) look() (text string, written time.Time, err error) {
	in, err := openFolder(s.dir)
	if err != nil {
		return "", written, err
	}
	defer in.close()
	var told strings.Builder
	for _, table := range in.names {
		for _, name := range in.files[folded(table)] {
			info, err := in.root.Stat(name)
			if err != nil { // a link out of the folder, or gone: no table either way
				fmt.Fprintf(&told, "%q -\n", name)
				continue
			}
			fmt.Fprintf(&told, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			if info.ModTime().After(written) {
				written = info.ModTime()
			}
		}
	}
	return told.String(), written, nil
}
