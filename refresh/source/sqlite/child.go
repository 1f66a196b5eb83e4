package sqlite

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"mooring/placements"
	"mooring/refresh/source"
)

// A query on an SQLite file, or on Tables, runs in a process of its own, a child: SQLite looks at its progress handler only between the
// instructions of a statement, and a single call of instr, json_patch or snippet may run for hours. A child can be killed in it,
// and what it exhausts is its own memory.

const (
	// childArgument, as the only argument of this program, starts it as a child.
	childArgument = "sqlite-query"
	// childGrace is how long after the statement timeout a child may still say so itself before it is killed.
	childGrace = time.Second
	// childMemory bounds what a child may allocate, in bytes, where the system can.
	childMemory = 1 << 30
	// maxComplaint is how much of a dying child's stderr goes into the error, in bytes.
	maxComplaint = 2 << 10
)

// childRequest is all that a child is told.
type childRequest struct {
	Path     string
	SQL      string
	Timeout  time.Duration
	Values   []wireValue // of the statement's variables
	RowBytes int         // the most that a row may take
	Prepare  bool        // compile the statement and do not run it: there are no rows
	Catalog  bool        // the statement lists tables, whose columns are wanted: there are no rows
}

// RunAsChild runs the query that this process was started for and ends the process, if a source started it. A program that
// opens sources of kind sqlite calls it first in main, and its tests in TestMain.
func RunAsChild() {
	runAsChild(childArgument, nil)
}

// runAsChild runs a query in this process if argument started it: on the tables that open makes, without it on a file.
func runAsChild(argument string, open func(path string) (Tables, error)) {
	if len(os.Args) != 2 || os.Args[1] != argument {
		return
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // of a terminal or a supervisor: the parent drains and decides
	boundMemory()
	if err := answer(bufio.NewReader(os.Stdin), os.Stdout, open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// answer reads the request, runs it and writes the result. Should in end meanwhile, the parent is gone, and the process ends.
func answer(in *bufio.Reader, out io.Writer, open func(string) (Tables, error)) error {
	var r childRequest
	if err := gob.NewDecoder(in).Decode(&r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), r.Timeout)
	defer cancel()
	w := newResultWriter(out)
	return w.end(ended(ctx, runRequest(ctx, r, w, open)))
}

// runRequest writes the columns and rows of the request's statement.
func runRequest(ctx context.Context, r childRequest, w *resultWriter, open func(string) (Tables, error)) error {
	c, err := dial(ctx, r.Path, open)
	if err != nil {
		return err
	}
	defer c.close()
	if r.Catalog {
		list, err := c.catalog(r.SQL)
		if err != nil {
			return err
		}
		return w.columns(list)
	}
	stmt, err := c.compile(r.SQL, r.Values...)
	if err != nil {
		return err
	}
	defer c.finalize(stmt)
	columns := c.columns(stmt)
	if r.Prepare {
		return w.columns(columns)
	}
	if err := c.fill(); err != nil {
		return err
	}
	c.bound(len(columns), r.RowBytes)
	if err := w.columns(columns); err != nil {
		return err
	}
	for {
		more, err := c.step(stmt)
		if err != nil || !more {
			return err
		}
		if err := w.row(c, stmt); err != nil {
			return err
		}
	}
}

// child is a process that runs one request.
type child struct {
	cmd       *exec.Cmd
	in        io.WriteCloser // its end ends the child
	out       io.ReadCloser
	complaint complaint
}

// startChild starts a child by its argument, which is killed when ctx ends. It gets none of the environment but what SQLite itself reads.
func startChild(ctx context.Context, argument string, r childRequest) (*child, error) {
	program, err := executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, program, argument)} // #nosec G204 -- this program itself
	c.cmd.Env = slices.DeleteFunc([]string{"TMPDIR=" + os.TempDir(), "TZ=" + os.Getenv("TZ")}, func(s string) bool { return s == "TZ=" })
	c.cmd.Stderr = &c.complaint
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	_ = gob.NewEncoder(c.in).Encode(r) // a child that cannot read it says why on its stderr
	return c, nil
}

// executable is this very program, even when its file was replaced since it started.
func executable() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// end kills the child, which has nothing more to say, and waits until it is gone. The error is what it died of, if it was not killed.
func (c *child) end() error {
	_ = c.cmd.Process.Kill()
	err := c.cmd.Wait()
	_ = c.in.Close()
	if len(c.complaint) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, c.complaint)
}

// complaint keeps the beginning of what is written to it.
type complaint []byte

func (c *complaint) Write(p []byte) (int, error) {
	*c = append(*c, p[:min(len(p), maxComplaint-len(*c))]...)
	return len(p), nil
}

// run has a child work on r, with the file and the timeout of s, and passes its result to read, which may end early.
func (s *database) run(ctx context.Context, r childRequest, read func(*resultReader) error) error {
	if err := s.slots.Take(ctx); err != nil {
		return err
	}
	defer s.slots.Give()
	limited, cancel := context.WithTimeout(ctx, s.config.StatementTimeout+childGrace)
	defer cancel()
	r.Path, r.Timeout = s.config.Path, s.config.StatementTimeout
	c, err := startChild(limited, s.argument, r)
	if err != nil {
		return source.Fault(placements.Transient, err, "the query on %q could not be started; the log says why", s.name)
	}
	err = read(newResultReader(c.out))
	died := c.end()
	switch {
	case !errors.Is(err, errCut):
		return s.classify(ctx, err)
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return source.TimedOut(died, s.config.StatementTimeout)
	}
	return source.TooBig(errors.Join(err, died))
}
