package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/oidc"
)

// keyCommand groups the commands on access tokens.
type keyCommand struct {
	Create keyCreateCommand `cmd:"" help:"Sign a token, offline: it goes to stdout, its jti to stderr."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a token on every server, within 5 seconds."`
	List   keyListCommand   `cmd:"" help:"List the revoked tokens that have not expired: which ones key create made is kept nowhere."`
}

// keyCreateCommand signs a token.
type keyCreateCommand struct {
	process.ConfigFlag
	Tenant     string   `required:"" placeholder:"T" help:"The tenant it is good for."`
	User       int64    `required:"" placeholder:"N" help:"The user's id."`
	Email      string   `placeholder:"E" help:"The user's email address."`
	Name       string   `placeholder:"N" help:"The user's first name."`
	Deployment []int64  `placeholder:"D" help:"A deployment it is good for; repeat for more. None: all of the tenant."`
	Role       []int64  `placeholder:"R" help:"A role of the user; repeat for more."`
	Action     []string `placeholder:"A" xor:"actions" help:"An action on everything in those deployments, such as ReportEdit or All; repeat for more."`
	NoActions  bool     `xor:"actions" help:"The token has no action of its own: it may do what its roles and its user's own assets allow."`
	Only       []string `placeholder:"A" help:"An action that the token goes no further than, whatever roles and having created an asset allow; repeat for more. Without --action and --no-actions these are its actions."`
	TTL        lifetime `name:"ttl" default:"90d" placeholder:"90d" help:"How long it lives, in days or shorter units: 90d, 12h."`
}

// lifetime is how long a token lives: a time.Duration that may also be said in days.
type lifetime time.Duration

// UnmarshalText reads a number of days, such as 90d, or a duration as Go writes it, such as 12h.
func (l *lifetime) UnmarshalText(text []byte) error {
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is no number of days such as 90d", text)
		}
		*l = lifetime(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no lifetime such as 90d or 12h", text)
	}
	*l = lifetime(d)
	return nil
}

// Run signs the token. It needs no Redis.
func (c *keyCreateCommand) Run(s *process.Invocation) error {
	cfg, err := s.Load(c.ConfigFlag, process.RedisFlag{})
	if err != nil {
		return err
	}
	if err := c.check(cfg); err != nil {
		return err
	}
	keys, err := cfg.Keyring()
	if err != nil {
		return err
	}
	token, id, err := keys.Sign(auth.Caller{
		Actor:  record.Actor{ID: c.User, Email: c.Email, Name: c.Name, Roles: c.Role, Actions: c.actions(), Bound: c.Only},
		Tenant: c.Tenant, Subject: fmt.Sprint(c.User), Deployments: c.Deployment,
	}, time.Now(), time.Duration(c.TTL))
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Stderr, id)
	fmt.Fprintln(s.Stdout, token)
	return nil
}

// knownActions are the actions that a token may be given here.
var knownActions = []string{
	record.ActionReportRead, record.ActionReportEdit, record.ActionReportManage,
	record.ActionWorkbookRead, record.ActionWorkbookEdit, record.ActionWorkbookManage, record.ActionAll,
}

// check refuses what would make a token that opens nothing.
func (c *keyCreateCommand) check(cfg *config.Config) error {
	t, known := cfg.Tenants[c.Tenant]
	switch {
	case !known:
		return fmt.Errorf("tenant %q is not in the configuration", c.Tenant)
	case c.User < 1:
		return &process.UsageError{Message: "--user: ids start at 1"}
	case c.TTL <= 0:
		return &process.UsageError{Message: "--ttl: must be positive"}
	}
	for _, d := range c.Deployment {
		if _, known := t.Deployments[d]; !known {
			return fmt.Errorf("tenant %s has no deployment %d in the configuration", c.Tenant, d)
		}
	}
	return c.checkActions()
}

func (c *keyCreateCommand) checkActions() error {
	if len(c.actions()) == 0 && !c.NoActions {
		return &process.UsageError{Message: "--action: name what the token may do, such as ReportEdit, or say --no-actions for one that relies on roles"}
	}
	for _, flag := range []struct {
		name    string
		actions []string
	}{{"--action", c.Action}, {"--only", c.Only}} {
		for _, a := range flag.actions {
			if !slices.Contains(knownActions, a) {
				return &process.UsageError{Message: fmt.Sprintf("%s: %q is none of %s", flag.name, a, strings.Join(knownActions, ", "))}
			}
		}
	}
	for _, a := range c.Action {
		if !(record.Actor{Bound: c.Only}).Bounds(a) {
			return &process.UsageError{Message: fmt.Sprintf("--action: %s goes further than --only lets the token go: leave it out, or name it with --only too", a)}
		}
	}
	return nil
}

// actions are the token's own.
func (c *keyCreateCommand) actions() []string {
	if len(c.Action) > 0 || c.NoActions {
		return c.Action
	}
	return c.Only
}

// keyRevokeCommand makes a token invalid before its time.
type keyRevokeCommand struct {
	process.ConfigFlag
	process.RedisFlag
	Token string `arg:"" name:"token|jti" help:"The token, or its jti as key create printed it."`
}

// Run revokes the token for its tenant; a jti alone does not name one, so it is revoked for all.
func (c *keyRevokeCommand) Run(s *process.Invocation) error {
	cfg, err := s.LoadShared(c.ConfigFlag, c.RedisFlag, "key revoke")
	if err != nil {
		return err
	}
	id, until, tenants, err := c.target(s, cfg)
	if err != nil {
		return err
	}
	store, err := s.Open(cfg, "")
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		err = errors.Join(err, store.Tenants().Revoke(s.Ctx, tenant, id, until, operator()))
	}
	return errors.Join(process.Plain(err), store.Close())
}

// target reads the argument: the token's id, when it may be forgotten, and whose it is.
func (c *keyRevokeCommand) target(s *process.Invocation, cfg *config.Config) (id string, until time.Time, tenants []string, err error) {
	known := auth.IsTokenID(c.Token) || len(cfg.Signing.JWKS) > 0 && oidc.IsTokenID(c.Token) && strings.Count(c.Token, ".") != 2
	if known {
		return c.Token, time.Now().Add(auth.UnknownExpiry), slices.Sorted(maps.Keys(cfg.Tenants)), nil
	}
	if strings.Count(c.Token, ".") != 2 {
		return "", until, nil, &process.UsageError{Message: "this is neither a token nor a jti as key create prints it, 26 characters A-Z and 2-7: " +
			"revoke a token that was made elsewhere by giving all of it"}
	}
	for _, i := range cfg.Issuers(nil, s.Log) {
		if i.Name() != auth.IssuerOf(c.Token) {
			continue
		}
		who, err := i.Verify(s.Ctx, c.Token, time.Now())
		if err != nil {
			return "", until, nil, fmt.Errorf("this is no good token of %s: %w", i.Name(), err)
		}
		return record.TokenOf(who.Issuer, who.TokenID), who.Expires, []string{who.Tenant}, nil
	}
	keys, err := cfg.Keyring()
	if err != nil {
		return "", until, nil, err
	}
	caller, err := keys.Verify(c.Token, time.Now())
	if err != nil {
		return "", until, nil, fmt.Errorf("this is no token that the configured keys accept: %w", err)
	}
	return caller.TokenID, caller.Expires, []string{caller.Tenant}, nil
}

// keyListCommand shows what was revoked.
type keyListCommand struct {
	process.ConfigFlag
	process.RedisFlag
}

// Run prints a line for each revoked token of each tenant.
func (c *keyListCommand) Run(s *process.Invocation) error {
	cfg, err := s.LoadShared(c.ConfigFlag, c.RedisFlag, "key list")
	if err != nil {
		return err
	}
	store, err := s.Open(cfg, "")
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "TENANT\tREVOKED JTI\tREMEMBERED UNTIL\tOF ANOTHER ISSUER")
	for _, tenant := range slices.Sorted(maps.Keys(cfg.Tenants)) {
		revoked, listErr := store.Tenants().Revoked(s.Ctx, tenant)
		err = errors.Join(err, listErr)
		for _, r := range revoked {
			issuer := cmp.Or(record.IssuerOf(r.TokenID), "-")
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", tenant, record.JTI(r.TokenID), r.Until.Format(time.RFC3339), issuer)
		}
	}
	return errors.Join(process.Plain(err), out.Flush(), store.Close())
}
