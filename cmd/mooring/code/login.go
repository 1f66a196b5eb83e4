package code

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/web/client"
)

// LoginCommand signs in to a server.
type LoginCommand struct {
	Server string `placeholder:"URL" help:"The server, such as https://acme.example.com; without it, MOORING_SERVER, else the one signed in to last."`
	Token  bool   `help:"Paste a token of mooring key create, or write it to stdin, instead of approving this machine in a browser."`
}

// Help implements kong's HelpProvider.
func (LoginCommand) Help() string {
	return "It shows an address and a code. Open the address in a browser and approve the code with your own key: this machine then has " +
		"what you chose, for 90 days at most. What it gets is kept for this server in your folder of configuration, where only you may read it, " +
		"and renewed when a command needs it. MOORING_TOKEN, with MOORING_SERVER beside it, goes before it. Later commands use this server where neither MOORING_SERVER nor the " +
		"project names one."
}

// Run gets a token, tries it and keeps it.
func (c *LoginCommand) Run(s *process.Invocation) error {
	server, err := c.server(s)
	if err != nil {
		return err
	}
	get := pair
	if c.Token {
		get = pasted
	}
	token, err := get(s, server)
	if err != nil {
		return err
	}
	api, err := client.New(server, token.Access)
	if err != nil {
		return err
	}
	me, err := api.GetMeWithResponse(s.Ctx)
	if err != nil {
		return remoteError(err)
	}
	if me.JSON200 == nil {
		return notMooring(server)
	}
	name, err := keepToken(server, token)
	if err != nil {
		return err
	}
	s.Progress("Signed in to %s as %s of %s; the token is in %s.", server, userName(me.JSON200), me.JSON200.Tenant, name)
	return nil
}

// server is the address of the server to sign in to.
func (c *LoginCommand) server(s *process.Invocation) (address string, err error) {
	if address = c.Server; address == "" {
		address, _ = s.Env("MOORING_SERVER")
	}
	if address == "" {
		address, err = latestServer()
	}
	switch {
	case err != nil:
		return "", err
	case address == "":
		return "", &process.UsageError{Message: "login needs --server or MOORING_SERVER"}
	}
	return serverAddress(address)
}

// userName is how a caller is called.
func userName(me *client.Me) string {
	if me.User.Email != "" {
		return me.User.Email
	}
	return fmt.Sprintf("user %d", me.User.ID)
}

// pasted reads a token from the terminal or stdin.
func pasted(s *process.Invocation, server string) (keptToken, error) {
	token, err := s.Secret("Token for " + server + ": ")
	if err == nil && token == "" {
		err = &process.UsageError{Message: "login --token reads a token from stdin, and there was none: make one with mooring key create"}
	}
	return keptToken{Access: token}, err
}

// pair lets a person approve this machine in a browser (RFC 8628).
func pair(s *process.Invocation, server string) (keptToken, error) {
	api, err := client.New(server, "")
	if err != nil {
		return keptToken{}, err
	}
	name := "mooring login"
	if host, err := os.Hostname(); err == nil {
		name += " on " + host
	}
	asked, err := api.CreateDeviceCodeWithResponse(s.Ctx, client.DeviceCodeInput{ClientName: &name})
	if refused, ok := errors.AsType[*client.ResponseError](err); ok && refused.StatusCode == http.StatusNotFound {
		return keptToken{}, fmt.Errorf("%s pairs no devices: sign in with mooring login --token, and a token of mooring key create", server)
	}
	if err != nil {
		return keptToken{}, remoteError(err)
	}
	codes := asked.JSON200
	if codes == nil {
		return keptToken{}, notMooring(server)
	}
	s.Progress("Open %s in a browser and approve the code %s.", codes.VerificationURI, codes.UserCode)
	ctx, cancel := context.WithTimeout(s.Ctx, time.Duration(codes.ExpiresIn)*time.Second)
	defer cancel()
	token, err := collect(ctx, api, codes)
	if s.Ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("nobody has approved the code in time: run mooring login again")
	}
	return token, err
}

// collect asks for the tokens of a code, no more often than the server wants it, until a person has decided.
func collect(ctx context.Context, api *client.ClientWithResponses, codes *client.DeviceCodes) (keptToken, error) {
	interval := max(time.Second, time.Duration(codes.Interval)*time.Second)
	in := client.DeviceTokenInput{GrantType: "urn:ietf:params:oauth:grant-type:device_code", DeviceCode: &codes.DeviceCode}
	for {
		select {
		case <-ctx.Done():
			return keptToken{}, ctx.Err()
		case <-time.After(interval):
		}
		answer, err := api.CreateDeviceTokensWithResponse(ctx, in)
		if err == nil && answer.JSON200 != nil {
			return kept(answer.JSON200, time.Now()), nil
		}
		refused, ok := errors.AsType[*client.ResponseError](err)
		switch {
		case ctx.Err() != nil:
			return keptToken{}, ctx.Err()
		case !ok, refused.StatusCode >= http.StatusInternalServerError:
			interval *= 2 // the server may come back (RFC 8628 §3.5)
		case refused.Code == "slow_down":
			interval += 5 * time.Second
		case refused.Code == "access_denied":
			return keptToken{}, &process.ExitError{Status: process.ExitDenied, Err: errors.New("the code was denied")}
		case refused.Code != "authorization_pending":
			return keptToken{}, remoteError(err)
		}
	}
}

// notMooring is the error of an answer that is not in the interface, such as a proxy's page.
func notMooring(server string) error {
	return fmt.Errorf("%s does not answer as Mooring does: check the address", server)
}

// serverAddress is the address of a server as it is written everywhere. It is one that a token may be sent to.
func serverAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", &process.UsageError{Message: fmt.Sprintf("%q is no address of a server: write one such as https://acme.example.com", text)}
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return "", &process.UsageError{Message: fmt.Sprintf("a token would travel to %s for all to read: write https:// (http is for this machine alone, "+
			"such as http://localhost:8080)", text)}
	}
	return strings.TrimSuffix(strings.ToLower(u.Scheme)+"://"+strings.ToLower(u.Host)+u.Path, "/"), nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
