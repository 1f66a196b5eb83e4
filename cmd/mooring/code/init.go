package code

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
)

// InitCommand makes a project's folder.
type InitCommand struct {
	Dir        string `arg:"" optional:"" default:"." help:"The folder, made if need be; without it, this one."`
	Project    string `placeholder:"NAME" help:"The project's name; without it, the folder's."`
	Deployment int64  `placeholder:"D" help:"The deployment that it is applied to; without it, 1."`
	Server     string `placeholder:"URL" help:"The server, such as https://acme.example.com; without it, the files name none."`
}

// Help implements kong's HelpProvider.
func (InitCommand) Help() string {
	return "It writes project.yaml, with an example as comments, and .gitignore where there is none. At a terminal it asks for what the " +
		"command line does not say. A folder that is a project's already is left as it is."
}

// Run asks for what is missing, if somebody is there, and writes the folder.
func (c *InitCommand) Run(s *process.Invocation) error {
	if name, found := ascode.IsProject(c.Dir); found {
		return fmt.Errorf("%s is there already: nothing was changed", filepath.Join(c.Dir, name))
	}
	start, err := c.start(s)
	if err != nil {
		return err
	}
	if wrong := start.Fault(); wrong != "" {
		return &process.UsageError{Message: wrong}
	}
	files, err := start.Write(c.Dir)
	for _, name := range files {
		fmt.Fprintln(s.Stdout, filepath.Join(c.Dir, name))
	}
	if err == nil {
		s.Progress("The project %s for deployment %d. Next: mooring pull --adopt all, or files of your own, then mooring plan.", start.Project, start.Deployment)
	}
	return err
}

// start is what the project is to be.
func (c *InitCommand) start(s *process.Invocation) (ascode.Start, error) {
	full, err := filepath.Abs(c.Dir)
	if err != nil {
		return ascode.Start{}, err
	}
	name := ascode.ProjectName(filepath.Base(full))
	if !process.IsTerminal(s.Stdin) {
		return ascode.Start{Project: cmp.Or(c.Project, name), Deployment: cmp.Or(c.Deployment, 1), Server: c.Server}, nil
	}
	q := questions{s, bufio.NewReader(s.Stdin)}
	start := ascode.Start{Project: c.Project, Deployment: c.Deployment, Server: c.Server}
	if c.Project == "" {
		start.Project, err = q.ask("The project's name", name)
	}
	if c.Deployment == 0 && err == nil {
		start.Deployment, err = q.number("The deployment", 1)
	}
	if c.Server == "" && err == nil {
		start.Server, err = q.ask("The server, such as https://acme.example.com", "")
	}
	return start, err
}

// questions asks the person at the terminal.
type questions struct {
	s       *process.Invocation
	answers *bufio.Reader
}

// ask returns the answer, or what it is without one.
func (q questions) ask(what, otherwise string) (string, error) {
	fmt.Fprintf(q.s.Stderr, "%s [%s]: ", what, cmp.Or(otherwise, "none"))
	answer, err := q.answers.ReadString('\n')
	if errors.Is(err, io.EOF) {
		return "", errors.New("nothing was written: there was no answer")
	}
	return cmp.Or(strings.TrimSpace(answer), otherwise), err
}

// number is ask for a number.
func (q questions) number(what string, otherwise int64) (int64, error) {
	answer, err := q.ask(what, strconv.FormatInt(otherwise, 10))
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(answer, 10, 64)
	if err != nil {
		return 0, &process.UsageError{Message: fmt.Sprintf("%q is no number of a deployment: write one such as 1", answer)}
	}
	return n, nil
}
