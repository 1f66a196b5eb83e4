package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mooring/cmd/mooring/ascode"
)

// IsTerminal reports whether a person is at the other end of stdin, stdout or stderr.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colour reports whether stdout shows colours and its reader wants them (no-color.org).
func (s *Invocation) Colour() bool {
	refused, _ := s.Env("NO_COLOR")
	kind, _ := s.Env("TERM")
	return refused == "" && kind != "dumb" && IsTerminal(s.Stdout)
}

// Progress says on stderr, in one line, what a command is at.
func (s *Invocation) Progress(format string, args ...any) {
	fmt.Fprintln(s.Stderr, ascode.Line(fmt.Sprintf(format, args...)))
}

// Confirmed asks the person at the terminal, who has to write yes.
func (s *Invocation) Confirmed(question string) (bool, error) {
	fmt.Fprintf(s.Stderr, "%s Write yes to do it: ", question)
	answer, err := bufio.NewReader(s.Stdin).ReadString('\n')
	if err == io.EOF {
		fmt.Fprintln(s.Stderr)
		err = nil
	}
	return strings.TrimSpace(answer) == "yes", err
}

// Secret reads a line of stdin. A terminal does not show it.
func (s *Invocation) Secret(prompt string) (string, error) {
	if !IsTerminal(s.Stdin) {
		line, err := bufio.NewReader(s.Stdin).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return strings.TrimSpace(line), err
	}
	fmt.Fprint(s.Stderr, prompt)
	line, err := term.ReadPassword(int(s.Stdin.(*os.File).Fd()))
	fmt.Fprintln(s.Stderr)
	return strings.TrimSpace(string(line)), err
}
