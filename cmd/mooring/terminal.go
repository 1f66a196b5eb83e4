package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mooring/cmd/mooring/ascode"
)

// isTerminal reports whether a person is at the other end of stdin, stdout or stderr.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour reports whether stdout shows colours and its reader wants them (no-color.org).
func (s *session) colour() bool {
	refused, _ := s.env("NO_COLOR")
	kind, _ := s.env("TERM")
	return refused == "" && kind != "dumb" && isTerminal(s.stdout)
}

// progress says on stderr, in one line, what a command is at.
func (s *session) progress(format string, args ...any) {
	fmt.Fprintln(s.stderr, ascode.Line(fmt.Sprintf(format, args...)))
}

// confirmed asks the person at the terminal, who has to write yes.
func (s *session) confirmed(question string) (bool, error) {
	fmt.Fprintf(s.stderr, "%s Write yes to do it: ", question)
	answer, err := bufio.NewReader(s.stdin).ReadString('\n')
	if err == io.EOF {
		fmt.Fprintln(s.stderr)
		err = nil
	}
	return strings.TrimSpace(answer) == "yes", err
}

// secret reads a line of stdin. A terminal does not show it.
func (s *session) secret(prompt string) (string, error) {
	if !isTerminal(s.stdin) {
		line, err := bufio.NewReader(s.stdin).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return strings.TrimSpace(line), err
	}
	fmt.Fprint(s.stderr, prompt)
	line, err := term.ReadPassword(int(s.stdin.(*os.File).Fd()))
	fmt.Fprintln(s.stderr)
	return strings.TrimSpace(string(line)), err
}
