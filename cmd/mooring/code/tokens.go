package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/web/client"
)

// keptToken is what login keeps for a server.
type keptToken struct {
	Access  string    `json:"access"`
	Refresh string    `json:"refresh,omitempty"` // renews it; empty: it was pasted
	Expires time.Time `json:"expires,omitzero"`  // of Access, if it has Refresh
	Latest  bool      `json:"latest,omitempty"`  // signed in to last: commands use that server where nothing names one
}

// UnmarshalJSON also reads a text, as versions without Refresh kept it.
func (k *keptToken) UnmarshalJSON(text []byte) error {
	type members keptToken
	if json.Unmarshal(text, &k.Access) == nil {
		return nil
	}
	return json.Unmarshal(text, (*members)(k))
}

// kept returns the token of an answer.
func kept(t *client.DeviceTokens, now time.Time) keptToken {
	return keptToken{Access: t.AccessToken, Refresh: t.RefreshToken, Expires: now.Add(time.Duration(t.ExpiresIn) * time.Second)}
}

const (
	renewBefore  = time.Minute      // before its end a token is renewed: a command takes a while
	renewTimeout = 30 * time.Second // how long others wait for a command that renews
)

// stale reports whether the token is to be renewed.
func (k keptToken) stale(now time.Time) bool {
	return k.Refresh != "" && k.Expires.Sub(now) < renewBefore
}

// TokenOf returns the one to use with a server: MOORING_TOKEN, else what login kept, renewed if need be.
func TokenOf(s *process.Invocation, server string) (string, error) {
	if token, _ := s.Env("MOORING_TOKEN"); token != "" {
		return token, nil
	}
	tokens, err := openTokens()
	if err != nil {
		return "", err
	}
	k, ok := tokens.byServer[server]
	switch {
	case !ok:
		err = fmt.Errorf("not signed in to %s: run mooring login --server %s, or set MOORING_SERVER and MOORING_TOKEN", server, server)
		return "", &process.ExitError{Status: process.ExitDenied, Err: err}
	case k.stale(time.Now()):
		return renewed(s, server)
	}
	return k.Access, nil
}

// renewed renews the token of a server, unless another command has done so meanwhile: a refresh token is good once.
func renewed(s *process.Invocation, server string) (token string, err error) {
	tokens, unlock, err := lockTokens()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	k := tokens.byServer[server]
	if !k.stale(time.Now()) && k.Access != "" {
		return k.Access, nil
	}
	ctx, cancel := context.WithTimeout(s.Ctx, renewTimeout)
	defer cancel()
	api, err := client.New(server, "")
	if err != nil {
		return "", err
	}
	answer, err := api.CreateDeviceTokensWithResponse(ctx, client.DeviceTokenInput{GrantType: "refresh_token", RefreshToken: &k.Refresh})
	if refused, ok := errors.AsType[*client.ResponseError](err); ok && refused.Code == "invalid_grant" {
		err = fmt.Errorf("signed out of %s: run mooring login --server %s", server, server)
		return "", &process.ExitError{Status: process.ExitDenied, Err: err}
	}
	if err != nil {
		return "", remoteError(err)
	}
	if answer.JSON200 == nil {
		return "", notMooring(server)
	}
	latest := k.Latest
	k = kept(answer.JSON200, time.Now())
	k.Latest = latest
	tokens.byServer[server] = k
	return k.Access, tokens.write()
}

// latestServer is the server that login signed in to last, empty for none. Where that is not known it is the only one.
func latestServer() (string, error) {
	tokens, err := openTokens()
	if err != nil {
		return "", err
	}
	only := ""
	for server, k := range tokens.byServer {
		if k.Latest || len(tokens.byServer) == 1 {
			only = server
		}
	}
	return only, nil
}

// keepToken keeps the token of a server, the latest from now on, and returns the file that it is in.
func keepToken(server string, k keptToken) (name string, err error) {
	tokens, unlock, err := lockTokens()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for other, old := range tokens.byServer {
		old.Latest = false
		tokens.byServer[other] = old
	}
	k.Latest = true
	tokens.byServer[server] = k
	return tokens.name, tokens.write()
}

// tokenFile is what login kept.
type tokenFile struct {
	name     string
	byServer map[string]keptToken
}

// openTokens reads the file; none is no error.
func openTokens() (*tokenFile, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	f := &tokenFile{filepath.Join(dir, "mooring", "tokens.json"), map[string]keptToken{}}
	text, err := os.ReadFile(f.name)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &f.byServer)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return f, nil
}

// lockTokens is openTokens for a command that will write: others wait until it unlocks or ends, however it ends.
func lockTokens() (*tokenFile, func() error, error) {
	f, err := openTokens()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		return nil, nil, err
	}
	lock, err := os.OpenFile(f.name+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err := waitForLock(lock); err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	if f, err = openTokens(); err != nil { // what another command has written meanwhile
		return nil, nil, errors.Join(err, lock.Close())
	}
	return f, lock.Close, nil
}

// write replaces the file. A reader sees it before or after, never half of it.
func (f *tokenFile) write() error {
	text, err := json.MarshalIndent(f.byServer, "", "  ")
	if err != nil {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(f.name), ".tokens-") // 0600
	if err != nil {
		return err
	}
	_, err = fresh.Write(append(text, '\n'))
	if err = errors.Join(err, fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), f.name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh.Name()))
	}
	return nil
}
