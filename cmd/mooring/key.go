package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mooring/storage"
	"mooring/web"
)

// longest is how long a revocation by jti is remembered: the token's own expiry is not known then.
const longest = 10 * 365 * 24 * time.Hour

// keyCommand groups the commands on access tokens.
type keyCommand struct {
	Create keyCreateCommand `cmd:"" help:"Sign a token, offline: it goes to stdout, its jti to stderr."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a token on every server, within 5 seconds."`
}

// keyCreateCommand signs a token.
type keyCreateCommand struct {
	configFlag
	Tenant     string        `required:"" placeholder:"T" help:"The tenant it is good for."`
	User       int64         `required:"" placeholder:"N" help:"The user's id."`
	Email      string        `placeholder:"E" help:"The user's email address."`
	Name       string        `placeholder:"N" help:"The user's first name."`
	Deployment []int64       `placeholder:"D" help:"A deployment it is good for; repeat for more. None: all of the tenant."`
	Role       []int64       `placeholder:"R" help:"A role of the user; repeat for more."`
	Action     []string      `placeholder:"A" help:"An action on everything in those deployments, such as ReportEdit or All; repeat for more."`
	TTL        time.Duration `name:"ttl" default:"2160h" placeholder:"2160h" help:"How long it lives."`
}

// Run signs the token. It needs no Redis.
func (c *keyCreateCommand) Run(s *session) error {
	cfg, err := s.load(c.configFlag, redisFlag{})
	if err != nil {
		return err
	}
	if err := c.check(cfg); err != nil {
		return err
	}
	keys, err := cfg.keyring()
	if err != nil {
		return err
	}
	token, id, err := keys.Sign(web.Caller{
		Tenant: c.Tenant, Subject: fmt.Sprint(c.User), UserID: c.User, Email: c.Email, Name: c.Name,
		Deployments: c.Deployment, Roles: c.Role, Actions: c.Action,
	}, c.TTL)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.stderr, id)
	fmt.Fprintln(s.stdout, token)
	return nil
}

// check refuses what would make a token that opens nothing.
func (c *keyCreateCommand) check(cfg *config) error {
	t, known := cfg.Tenants[c.Tenant]
	switch {
	case !known:
		return fmt.Errorf("tenant %q is not in the configuration", c.Tenant)
	case c.User < 1:
		return &usageError{"--user: ids start at 1"}
	case c.TTL <= 0:
		return &usageError{"--ttl: must be positive"}
	}
	for _, d := range c.Deployment {
		if _, known := t.Deployments[d]; !known {
			return fmt.Errorf("tenant %s has no deployment %d in the configuration", c.Tenant, d)
		}
	}
	return nil
}

// keyRevokeCommand makes a token invalid before its time.
type keyRevokeCommand struct {
	configFlag
	redisFlag
	Token string `arg:"" name:"token|jti" help:"The token, or its jti as key create printed it."`
}

// Run revokes the token for its tenant; a jti alone does not name one, so it is revoked for all.
func (c *keyRevokeCommand) Run(s *session) error {
	cfg, err := s.loadShared(c.configFlag, c.redisFlag, "key revoke")
	if err != nil {
		return err
	}
	id, until, tenants, err := c.target(cfg)
	if err != nil {
		return err
	}
	store, err := s.open(cfg, "")
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		err = errors.Join(err, store.Revoke(s.ctx, tenant, id, until))
	}
	return errors.Join(plain(err), store.Close())
}

// target reads the argument: the token's id, when it may be forgotten, and whose it is.
func (c *keyRevokeCommand) target(cfg *config) (id string, until time.Time, tenants []string, err error) {
	if !strings.Contains(c.Token, ".") {
		for name := range cfg.Tenants {
			tenants = append(tenants, name)
		}
		return c.Token, time.Now().Add(longest), tenants, nil
	}
	keys, err := cfg.keyring()
	if err != nil {
		return "", until, nil, err
	}
	caller, err := keys.Verify(c.Token)
	if err != nil {
		return "", until, nil, fmt.Errorf("this is no token that the configured keys accept: %w", err)
	}
	return caller.TokenID, caller.Expires, []string{caller.Tenant}, nil
}

// plain says in one line that the store was not reached; other errors stay as they are.
func plain(err error) error {
	if errors.Is(err, storage.ErrUnavailable) {
		return fmt.Errorf("redis does not answer: check the address and that the server runs (%w)", err)
	}
	return err
}
