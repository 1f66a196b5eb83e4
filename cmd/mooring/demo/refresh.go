package demo

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/client"
)

// refresh runs the report and says what that did to the file.
func (d *demo) refresh(ctx context.Context) error {
	before, err := takeSnapshot(d.folder.workbook())
	if err != nil {
		return err
	}
	run, err := d.runReport(ctx, d.report)
	if err != nil {
		return err
	}
	after, err := takeSnapshot(d.folder.workbook())
	if err != nil {
		return err
	}
	d.say("   POST %s/refreshes -> %s, result of %d rows and %d columns", d.path(), run.State, run.Rows, run.Columns)
	d.say("   rows written: %d (%d cells)", run.RowsWritten, run.CellsWritten)
	if words := process.Findings(run); words != "" {
		d.say("   %s", words)
	}
	for _, line := range before.compare(after) {
		d.say("   %s", line)
	}
	return nil
}

// poll is how often the demo asks whether its run has ended.
const poll = 50 * time.Millisecond

// runReport asks for a run of a report and waits for its end. A run that did not succeed is an error.
func (d *demo) runReport(ctx context.Context, report int64) (*record.Run, error) {
	run, err := d.runToEnd(ctx, report)
	if err == nil && run.State != placements.RunSucceeded {
		return nil, fmt.Errorf("the run ended %s: %s", run.State, run.Error)
	}
	return run, err
}

// runToEnd asks for a run of a report and waits for its end.
func (d *demo) runToEnd(ctx context.Context, report int64) (*record.Run, error) {
	started, err := d.api.StartRunWithResponse(ctx, sampleDeployment, report, nil, client.RunInput{})
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		answer, err := d.api.GetRunWithResponse(ctx, sampleDeployment, report, started.JSON202.RunID)
		if err != nil {
			return nil, err
		}
		run := new(record.Run)
		if err := json.Unmarshal(answer.Body, run); err != nil {
			return nil, err
		}
		if run.EndedAt != "" {
			return run, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// parts is what a workbook file holds: the digest of each of its parts (an .xlsx is a zip of them), by name.
type parts map[string]string

// readParts digests every part of a workbook.
func readParts(name string) (parts, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	all := parts{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, errors.Join(err, z.Close())
		}
		hash := sha256.New()
		_, err = io.Copy(hash, r) // #nosec G110 -- of the demo's own workbook, and kept nowhere
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, errors.Join(err, z.Close())
		}
		all[f.Name] = hex.EncodeToString(hash.Sum(nil))
	}
	return all, z.Close()
}

// changed names the parts that are not the same in q, or in only one of the two.
func (p parts) changed(q parts) []string {
	var names []string
	for name, digest := range p {
		if q[name] != digest {
			names = append(names, name)
		}
	}
	for name := range q {
		if _, had := p[name]; !had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// digest is one short digest over all parts but those left out.
func (p parts) digest(without []string) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(without, name) {
			fmt.Fprintf(hash, "%s %s\n", name, p[name])
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// snapshot is a workbook file at one moment.
type snapshot struct {
	bytes []byte
	parts parts
}

func takeSnapshot(name string) (snapshot, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return snapshot{}, err
	}
	p, err := readParts(name)
	return snapshot{b, p}, err
}

// compare says what became of the file between two moments, in one or two lines.
func (before snapshot) compare(after snapshot) []string {
	if bytes.Equal(before.bytes, after.bytes) {
		sum := sha256.Sum256(after.bytes)
		return []string{fmt.Sprintf("the file is the same, byte for byte (sha256 %x)", sum[:8])}
	}
	changed := before.parts.changed(after.parts)
	kept := 0
	for name, digest := range before.parts {
		if after.parts[name] == digest {
			kept++
		}
	}
	return []string{
		fmt.Sprintf("rewritten:  %s", strings.Join(changed, ", ")),
		fmt.Sprintf("untouched:  %d of %d parts, hash %s before, %s after",
			kept, len(before.parts), before.parts.digest(changed), after.parts.digest(changed)),
	}
}
