package code

import (
	"errors"
	"fmt"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
)

// ValidateCommand checks a folder.
type ValidateCommand struct {
	folderFlags
	Format string `enum:"text,json,sarif,github" default:"text" help:"How to write the faults: text, json, sarif or github."`
}

// Run writes all faults of the folder to stdout, and fails if there are any.
func (c *ValidateCommand) Run(s *process.Invocation) error {
	f, err := readFolder(s, c.Dir, c.Env)
	if err == nil {
		_, err = f.Bundle().Encode()
	}
	var faults ascode.Faults
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	if len(faults) == 0 {
		faults = f.Unasked()
	}
	found := ascode.Findings{Faults: faults, Warnings: f.Warnings()}
	text, err := c.render(f, found)
	if err != nil {
		return err
	}
	f.warn(s, found.Warnings)
	fmt.Fprint(s.Stdout, text)
	if len(faults) > 0 {
		s.Progress("%s", process.Count(len(faults), "fault"))
		return &process.ExitError{Status: process.ExitFailed}
	}
	s.Progress("%s, no fault", process.Count(len(f.Bundle().Assets), "asset"))
	return nil
}

// render writes what was found in the chosen format; text is the faults alone. Text names files from here, sarif and github as the
// repository does, json as the folder does.
func (c *ValidateCommand) render(f *files, found ascode.Findings) (string, error) {
	var text []byte
	var err error
	switch c.Format {
	case "json":
		text, err = found.JSON()
	case "sarif":
		text, err = found.SARIF(f.inRepo)
	case "github":
		return found.GitHub(f.inRepo), nil
	default:
		if len(found.Faults) == 0 {
			return "", nil
		}
		text = []byte(f.named(found.Faults).Error())
	}
	return string(text) + "\n", err
}
