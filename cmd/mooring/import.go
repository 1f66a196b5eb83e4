package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keep"
	"mooring/storage/record"
)

// importCommand records the placements of a file, such as those that another service kept.
type importCommand struct {
	File string `arg:"" help:"JSON lines, each a Placement with the reportId of its report; - is stdin."`
	process.ConfigFlag
	process.RedisFlag
	Tenant     string `required:"" placeholder:"T" help:"The tenant."`
	Deployment int64  `required:"" placeholder:"D" help:"The deployment of the reports."`
}

// Help is shown by mooring import --help.
func (*importCommand) Help() string {
	return "Records placements exactly as given: with their ids, or without, with their times, checksums and last runs. All lines are " +
		"recorded in one step or, if anything is wrong with one of them, none; every fault is named with its line. " +
		fmt.Sprintf("At most %d lines at once.", keep.MaxImported)
}

// Run prints how many placements were recorded.
func (c *importCommand) Run(s *process.Invocation) error {
	cfg, err := s.LoadShared(c.ConfigFlag, c.RedisFlag, "import")
	if err != nil {
		return err
	}
	if _, known := cfg.Tenants[c.Tenant].Deployments[c.Deployment]; !known {
		return fmt.Errorf("tenant %s with deployment %d is not in the configuration", c.Tenant, c.Deployment)
	}
	list, err := c.read()
	if err != nil {
		return err
	}
	store, err := s.Open(cfg, "")
	if err != nil {
		return err
	}
	return errors.Join(c.record(s, store, list), store.Close())
}

// operator is who runs the command, as the audit names them.
func operator() record.Actor { return record.Actor{Via: record.Via{Address: "command line"}} }

// record imports what was read or, if a line cannot be read, names every fault.
func (c *importCommand) record(s *process.Invocation, store *storage.Store, list *importList) error {
	d := record.Deployment{Tenant: c.Tenant, ID: c.Deployment}
	if len(list.faults) > 0 {
		return list.err(c.File, store.Imports().Check(s.Ctx, d, list.placements))
	}
	if err := store.Imports().Import(s.Ctx, d, list.placements, operator()); err != nil {
		return list.err(c.File, err)
	}
	fmt.Fprintln(s.Stdout, process.Count(len(list.placements), "placement")+" imported")
	return nil
}

func (c *importCommand) read() (*importList, error) {
	if c.File == "-" {
		return readImport(os.Stdin)
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readImport(f)
}

// importList is what the lines of a file say.
type importList struct {
	placements []keep.Imported
	lines      []int // of the placements, from 1
	faults     []lineFault
}

// lineFault is what is wrong with a line.
type lineFault struct {
	line int
	text string
}

// maxImportLine is the longest line, in bytes: room for the checksum of the largest block.
const maxImportLine = 1 << 20

// readImport reads JSON lines; empty ones are skipped.
func readImport(r io.Reader) (*importList, error) {
	list := new(importList)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxImportLine)
	n := 1
	for ; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		p, err := decodeImport(text)
		if err != nil {
			list.faults = append(list.faults, lineFault{n, err.Error()})
			continue
		}
		list.placements, list.lines = append(list.placements, p), append(list.lines, n)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	return list, nil
}

// importLine is a line of the file: the Placement object of the HTTP interface, and its report.
type importLine struct {
	ReportID int64 `json:"reportId"`
	placements.Placement
	LastRun    *placements.LastRun `json:"lastRun"`
	SyncStatus json.RawMessage     `json:"syncStatus"` // ignored: computed whenever it is read
}

func decodeImport(text []byte) (keep.Imported, error) {
	var line importLine
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&line)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return keep.Imported{}, fmt.Errorf("%s may not be a %s", strings.TrimPrefix(wrong.Field, "Placement."), wrong.Value)
	}
	if err != nil {
		return keep.Imported{}, fmt.Errorf("not a placement: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return keep.Imported{}, errors.New("more than one JSON object: write each on a line of its own")
	}
	if line.ReportID <= 0 {
		return keep.Imported{}, errors.New("it names no report: give it a reportId")
	}
	return keep.Imported{ReportID: line.ReportID, Placed: storage.Placed{Placement: line.Placement, LastRun: line.LastRun}}, nil
}

// err returns an error with a line for each fault of the file and each that the store found, err, in their order.
func (l *importList) err(file string, err error) error {
	details := placements.DetailsOf(err)
	if err != nil && len(details) == 0 {
		return process.Plain(err)
	}
	faults := slices.Clone(l.faults)
	for _, d := range details {
		i, err := strconv.Atoi(strings.TrimPrefix(d.Pointer, "/"))
		if err != nil {
			return err
		}
		faults = append(faults, lineFault{l.lines[i], d.Message})
	}
	slices.SortStableFunc(faults, func(a, b lineFault) int { return a.line - b.line })
	var text strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&text, "%s:%d: %s\n", file, f.line, f.text)
	}
	return errors.New(text.String() + "nothing was imported")
}
