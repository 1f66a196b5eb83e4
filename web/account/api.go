package account

import (
	"time"

	"mooring/refresh"
	"mooring/storage"
	"mooring/web/gate"
	"mooring/web/oidc"
)

// API serves an account. Make it with New.
type API struct {
	store    *storage.Store
	gate     *gate.Gate
	sessions *sessions
	devices  *devices
	keys     *keys
}

// Config is what an API is made from. Provider is nil where people sign in with keys only.
type Config struct {
	Store     *storage.Store
	Gate      *gate.Gate
	Engine    *refresh.Engine // nil: there are no sources here, and every deployment's time zone is UTC
	Provider  *oidc.Provider
	Demo      bool   // the service is a demo, whose printed link signs in
	PublicURL string // where people reach the service, without a slash at its end; empty: not known
	Now       func() time.Time
}

// New makes an API.
func New(cfg Config) *API {
	return &API{
		store: cfg.Store, gate: cfg.Gate,
		sessions: &sessions{cfg.Store, cfg.Gate, cfg.Engine, cfg.Provider, consoleBelow(cfg.PublicURL), cfg.Demo, cfg.Now},
		devices:  &devices{cfg.Store, cfg.Gate, cfg.Now},
		keys:     &keys{cfg.Store, cfg.Gate, cfg.Now},
	}
}
