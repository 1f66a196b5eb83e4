package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"mooring/cmd/mooring/config"
	"mooring/web"
	"mooring/web/hook"
	"mooring/web/oidc"
)

// reloader reads the configuration again whenever the process gets a SIGHUP (systemctl reload). Windows sends none.
type reloader struct {
	*Invocation
	load    func(*Invocation) (*config.Config, error)
	started *config.Config // what is in force of all that takes effect at a start only
	server  *web.Server    // nil: this process has no HTTP interface
	issuers []*oidc.Issuer
}

// reloader returns the one of a service that was started from cfg, and reads the file again by load.
func (s *Invocation) reloader(cfg *config.Config, svc *Service, load func(*Invocation) (*config.Config, error)) *reloader {
	return &reloader{Invocation: s, load: load, started: cfg, server: svc.server, issuers: svc.issuers}
}

// hangups returns a channel of the SIGHUPs that the process gets from now on, and a function that ends that.
func hangups() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1) // further ones, before the first is handled, ask for the same
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}

// during reloads at every hangup until work, which gets ctx, returns.
func (r *reloader) during(ctx context.Context, hangups <-chan os.Signal, work func(context.Context) error) error {
	ends, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		r.reach(ends, r.issuers)
		for {
			select {
			case <-ends.Done():
				return
			case <-hangups:
				r.reload(ends)
			}
		}
	})
	err := work(ctx)
	cancel()
	running.Wait()
	return err
}

// reload puts in force what the configuration file says now, or nothing of it if anything there is wrong.
func (r *reloader) reload(ctx context.Context) {
	apart := *r.Invocation // reading a file changes the log of its invocation; the log of this process keeps its format
	cfg, err := r.load(&apart)
	if err == nil {
		err = r.apply(ctx, cfg)
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			r.Log.Error("the configuration was not reloaded: what was in force stays", "error", strings.TrimRight(line, "\n"))
		}
		return
	}
	r.level.Set(min(r.level.Level(), cfg.Log.Least())) // the lines below are the last of a log that is to hold less
	defer r.level.Set(cfg.Log.Least())
	if keys := r.started.Deferred(cfg); len(keys) > 0 {
		r.Log.Warn(strings.Join(keys, ", ") + ": a change takes effect at the next start")
	}
	r.Log.Info("configuration reloaded")
}

// apply tells the server, if there is one, all of a configuration that takes effect at once: the fields with the tag reload:"now".
func (r *reloader) apply(ctx context.Context, cfg *config.Config) error {
	if r.server == nil {
		return nil
	}
	issuers := cfg.Issuers(r.issuers, r.Log)
	rules, err := rulesOf(cfg, issuers)
	if err != nil {
		return err
	}
	r.server.Reload(rules)
	before := r.issuers
	r.issuers = issuers
	r.reach(ctx, slices.DeleteFunc(slices.Clone(issuers), func(i *oidc.Issuer) bool { return slices.Contains(before, i) }))
	return nil
}

// rulesOf returns what a configuration says of that which a server can be told anew.
func rulesOf(cfg *config.Config, issuers []*oidc.Issuer) (web.Rules, error) {
	keys, err := cfg.Keyring()
	if err != nil {
		return web.Rules{}, err
	}
	hooks, err := hook.New(cfg.Hooks)
	return web.Rules{
		Keys: keys, Issuers: issuers, RatePerMinute: cfg.Limits.RequestsPerMinute, Origins: cfg.CORS.Origins, Hooks: hooks,
	}, err
}

// reach fetches the keys of issuers, so that their first tokens need not wait, and says which cannot be reached.
func (r *reloader) reach(ctx context.Context, issuers []*oidc.Issuer) {
	for _, i := range issuers {
		if err := i.Fetch(ctx); err != nil && !errors.Is(err, context.Canceled) {
			r.Log.Warn("an issuer does not answer with its keys: its tokens are refused until it does", "issuer", i.Name(), "error", err)
		}
	}
}
