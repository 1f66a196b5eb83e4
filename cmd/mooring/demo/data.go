package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"mooring/refresh/source/sqlite"
)

// What the demo makes.
const (
	sampleTenant  = "demo"
	Workbook      = "states.xlsx"
	boardWorkbook = "board.xlsx"
	Sheet         = "States"
	sampleAnchor  = "A5"
	sampleReports = "/api/v1/deployments/1/reports"

	sampleDeployment = 1
	sampleQuery      = "SELECT state AS State, region AS Region, residents_2010 AS \"2010\", residents_2020 AS \"2020\", " +
		"residents_2020 - residents_2010 AS Change FROM states ORDER BY state"
)

// Data is a small real table and a workbook to place it in; demodata/README.md says where they come from.
//
//go:embed demodata/states.csv demodata/states.xlsx demodata/project
var Data embed.FS

// late are the states whose 2020 count arrives while the demo runs.
var late = []string{"Hawaii", "Ohio", "Texas", "Utah"}

// sampleConfig is the configuration file of the demo. The secret is made anew each time.
const sampleConfig = `# Written by mooring demo. With a Redis, mooring serve can go on from here:
#   mooring serve --config %s --redis redis://127.0.0.1:6379
listen: %s
redis: embedded
signing:
  keys:
    - {id: demo, algorithm: HS256, secret: %s}
tenants:
  demo:
    deployments:
      1: {timezone: America/New_York, source: {kind: sqlite, path: states.db}}
    spreadsheets:
      SHEETS_B: {kind: xlsx, dir: sheets}
`

// sampleProject is the project.yaml of the demo's project.
const sampleProject = `project: census
server: http://%s
environments:
  demo: {deployment: %d, values: {book: %s}}
`

// sampleFolder is where the demo keeps its files.
type sampleFolder struct{ dir string }

func (d sampleFolder) config() string   { return filepath.Join(d.dir, "mooring.yaml") }
func (d sampleFolder) database() string { return filepath.Join(d.dir, "states.db") }
func (d sampleFolder) sheets() string   { return filepath.Join(d.dir, "sheets") }
func (d sampleFolder) workbook() string { return filepath.Join(d.sheets(), Workbook) }
func (d sampleFolder) board() string    { return filepath.Join(d.sheets(), boardWorkbook) }
func (d sampleFolder) project() string  { return filepath.Join(d.dir, "project") }

// fill writes the demo's files into a folder that has none of them yet.
func (d sampleFolder) fill(ctx context.Context, listen string) error {
	if err := os.MkdirAll(filepath.Dir(d.workbook()), 0o755); err != nil {
		return err
	}
	for _, name := range []string{d.config(), d.database(), d.workbook(), d.board(), d.project()} {
		if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is there already: the demo starts in a folder without its files", name)
		}
	}
	workbook, err := Data.ReadFile("demodata/states.xlsx")
	if err != nil {
		return err
	}
	text := fmt.Sprintf(sampleConfig, d.config(), listen, rand.Text()+rand.Text())
	return errors.Join(
		os.WriteFile(d.workbook(), workbook, 0o644),
		os.WriteFile(d.board(), workbook, 0o644),
		os.WriteFile(d.config(), []byte(text), 0o600),
		d.fillDatabase(ctx),
		d.fillProject(listen),
	)
}

// fillProject writes a project whose assets are applied to the demo's deployment.
func (d sampleFolder) fillProject(listen string) error {
	files, err := fs.Sub(Data, "demodata/project")
	if err != nil {
		return err
	}
	text := fmt.Sprintf(sampleProject, listen, sampleDeployment, Workbook)
	return errors.Join(
		os.CopyFS(d.project(), files),
		os.WriteFile(filepath.Join(d.project(), "project.yaml"), []byte(text), 0o644),
	)
}

// states are the rows of the embedded table, without its header.
func states() ([][]string, error) {
	text, err := Data.ReadFile("demodata/states.csv")
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	return rows[1:], nil
}

// fillDatabase makes the SQLite file. The late states have no 2020 count yet.
func (d sampleFolder) fillDatabase(ctx context.Context) error {
	rows, err := states()
	if err != nil {
		return err
	}
	statements := []string{"CREATE TABLE states (state TEXT PRIMARY KEY, region TEXT NOT NULL, residents_2010 INTEGER NOT NULL, " +
		"residents_2020 INTEGER)"}
	args := [][]any{nil}
	for _, r := range rows {
		statements = append(statements, "INSERT INTO states VALUES (?, ?, CAST(? AS INTEGER), CAST(? AS INTEGER))")
		args = append(args, []any{r[0], r[1], r[2], r[3]})
	}
	statements = append(statements, "UPDATE states SET residents_2020 = NULL WHERE state IN (?"+strings.Repeat(", ?", len(late)-1)+")")
	args = append(args, anys(late))
	return sqlite.Exec(ctx, d.database(), statements, args)
}

// countLate lets the counts of the late states arrive.
func (d sampleFolder) countLate(ctx context.Context) error {
	rows, err := states()
	if err != nil {
		return err
	}
	count := map[string]string{}
	for _, r := range rows {
		count[r[0]] = r[3]
	}
	var statements []string
	var args [][]any
	for _, state := range late {
		statements = append(statements, "UPDATE states SET residents_2020 = CAST(? AS INTEGER) WHERE state = ?")
		args = append(args, []any{count[state], state})
	}
	return sqlite.Exec(ctx, d.database(), statements, args)
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// sampleSource changes the demo's database, a few rows more each time.
type sampleSource struct {
	database string

	mu    sync.Mutex
	turns int
}

// recounted is how many states a change of the source touches, and by how many residents.
const (
	recounted = 4
	recount   = 1000
)

// change adds residents to some states of 2020 and names them; each call takes the next states.
func (s *sampleSource) change(ctx context.Context) ([]string, error) {
	rows, err := states()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names, statements []string
	var args [][]any
	for i := range recounted {
		name := rows[(s.turns*recounted+i)*7%len(rows)][0] // steps of 7 reach every one of the 51
		names = append(names, name)
		statements = append(statements, "UPDATE states SET residents_2020 = coalesce(residents_2020, residents_2010) + ? WHERE state = ?")
		args = append(args, []any{recount * (s.turns + 1), name})
	}
	if err := sqlite.Exec(ctx, s.database, statements, args); err != nil {
		return nil, err
	}
	s.turns++
	return names, nil
}
