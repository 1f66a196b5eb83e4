package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"mooring/web/client"
)

// loginCommand keeps a token.
type loginCommand struct {
	Server string `placeholder:"URL" help:"The server, such as https://acme.example.com; without it, MOORING_SERVER."`
}

// Help implements kong's HelpProvider.
func (loginCommand) Help() string {
	return "The token is one of mooring key create: paste it, or write it to stdin. It is tried, and kept for this server in your folder of " +
		"configuration, where only you may read it. MOORING_TOKEN goes before it."
}

// Run reads the token, tries it and keeps it.
func (c *loginCommand) Run(s *session) error {
	server := c.Server
	if server == "" {
		server, _ = s.env("MOORING_SERVER")
	}
	if server == "" {
		return &usageError{"login needs --server or MOORING_SERVER"}
	}
	server, err := serverAddress(server)
	if err != nil {
		return err
	}
	token, err := s.secret("Token for " + server + ": ")
	if err != nil {
		return err
	}
	if token == "" {
		return &usageError{"login reads a token from stdin, and there was none: make one with mooring key create"}
	}
	api, err := client.New(server, token)
	if err != nil {
		return err
	}
	if _, err := api.GetSettingsWithResponse(s.ctx); err != nil {
		return remoteError(err)
	}
	name, err := keepToken(server, token)
	if err != nil {
		return err
	}
	s.progress("Signed in to %s; the token is in %s.", server, name)
	return nil
}

// serverAddress is the address of a server as it is written everywhere.
func serverAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", &usageError{fmt.Sprintf("%q is no address of a server: write one such as https://acme.example.com", text)}
	}
	return strings.TrimSuffix(strings.ToLower(u.Scheme)+"://"+strings.ToLower(u.Host)+u.Path, "/"), nil
}

// tokenFile is where login keeps tokens, by their server.
func tokenFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "mooring", "tokens.json"), err
}

// keptTokens reads what login kept; nothing is no error.
func keptTokens(name string) (map[string]string, error) {
	tokens := map[string]string{}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return tokens, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &tokens)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tokens, nil
}

// keepToken adds a token to those kept and returns their file. A reader sees the file before or after, never half of it.
func keepToken(server, token string) (name string, err error) {
	if name, err = tokenFile(); err != nil {
		return "", err
	}
	tokens, err := keptTokens(name)
	if err != nil {
		return "", err
	}
	tokens[server] = token
	text, err := json.MarshalIndent(tokens, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	fresh, err := os.CreateTemp(filepath.Dir(name), ".tokens-") // 0600
	if err != nil {
		return "", err
	}
	_, err = fresh.Write(append(text, '\n'))
	if err = errors.Join(err, fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(fresh.Name()))
	}
	return name, nil
}
