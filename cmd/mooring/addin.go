package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mooring/cmd/mooring/process"
	"mooring/web"
)

// addinCommand is the commands on add-ins.
type addinCommand struct {
	Google addinGoogleCommand `cmd:"" help:"Write the script for Google Sheets, one for a whole domain, as clasp uploads it."`
}

// addinGoogleCommand writes the files of an Apps Script project.
type addinGoogleCommand struct {
	Out    string `required:"" placeholder:"DIR" help:"The folder to write into."`
	Server string `placeholder:"ADDRESS" help:"The https address under which people reach the server; without it, the file's publicURL."`
	process.ConfigFlag
}

// claspFile says which project clasp uploads a folder to.
const claspFile = ".clasp.json"

// Run writes the script with the server's address, and clasp's file, which keeps the project that it names.
func (c *addinGoogleCommand) Run(s *process.Invocation) error {
	server, err := c.address(s)
	if err != nil {
		return err
	}
	files, err := web.AppsScript(server)
	if err != nil {
		return err
	}
	clasp, project, err := claspOf(filepath.Join(c.Out, claspFile))
	if err != nil {
		return err
	}
	files[claspFile] = clasp
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(c.Out, name)
		if err := os.WriteFile(at, files[name], 0o644); err != nil {
			return err
		}
		fmt.Fprintf(s.Stdout, "wrote %s\n", at)
	}
	if project == "" {
		fmt.Fprintf(s.Stdout, "next: make a project at script.google.com, and write its script id into %s\n", filepath.Join(c.Out, claspFile))
	}
	fmt.Fprintf(s.Stdout, "then: clasp push --force, in %s\n", c.Out)
	return nil
}

// address returns the server's address.
func (c *addinGoogleCommand) address(s *process.Invocation) (string, error) {
	address, from := c.Server, "--server"
	if address == "" {
		cfg, err := s.Load(c.ConfigFlag, process.RedisFlag{})
		if err != nil {
			return "", err
		}
		address, from = cfg.PublicURL, "publicURL in the configuration"
	}
	u, err := url.Parse(address)
	switch {
	case address == "":
		return "", &process.UsageError{Message: "name the server with --server ADDRESS, or set publicURL in the configuration"}
	case err != nil, u.Scheme != "https", u.Hostname() == "", u.User != nil, strings.ContainsAny(address, "?#\"\\<>"):
		return "", fmt.Errorf("%s: %q: expected an https address such as https://mooring.example.com, since Google frames no other", from, address)
	}
	return strings.TrimRight(address, "/"), nil
}

// claspOf returns clasp's file for a folder, and the id of the project that it names; empty for none yet. What stands in it stays, but for
// where the files are.
func claspOf(name string) (text []byte, project string, err error) {
	settings := map[string]any{"scriptId": ""}
	kept, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	if err == nil {
		err := json.Unmarshal(kept, &settings)
		if err == nil && settings == nil {
			err = errors.New("it is null, not an object")
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s is not as clasp writes it: mend or remove it: %w", name, err)
		}
	}
	settings["rootDir"] = "."
	project, _ = settings["scriptId"].(string)
	text, err = json.MarshalIndent(settings, "", "  ")
	return append(text, '\n'), project, err
}
