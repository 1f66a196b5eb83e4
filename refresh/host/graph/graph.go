package graph

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Settings configures a Graph host. TenantID, ClientID, ClientSecret, and a drive or a site, are required.
type Settings struct {
	TenantID     string // the directory that knows the application
	ClientID     string // the application
	ClientSecret string
	Drives       []string // ids of drives that hold the workbooks
	Sites        []string // https addresses of SharePoint sites, whose libraries do too
	// Folders bounds the drives to folders: paths below a library's root, which begin with the library's name where its site has several.
	Folders []string
	// Endpoint overrides the API's address with its version, https://graph.microsoft.com/v1.0.
	Endpoint string
	// TokenEndpoint overrides the address to log in at, https://login.microsoftonline.com/<TenantID>/oauth2/v2.0/token.
	TokenEndpoint string
	// PerMinute is the requests a minute that we allow ourselves, each of a batch counted. Zero: DefaultGraphPerMinute;
	// negative: no limit.
	PerMinute int
	// Limiter shares those out. Nil: Buckets of this process alone.
	Limiter host.Limiter
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// DefaultGraphPerMinute keeps even a full minute's requests sent at once below what the service allows an application in a
// tenant, 1,500 in 10 seconds.
const DefaultGraphPerMinute = 1500

const (
	apiEndpoint = "https://graph.microsoft.com/v1.0"
	scope       = "https://graph.microsoft.com/.default"
	login       = "https://login.microsoftonline.com/%s/oauth2/v2.0/token"
)

var (
	_ host.Driver  = (*Workbooks)(nil)
	_ host.Limited = (*Workbooks)(nil)
)

// New makes a host that acts as an application. It sends nothing yet.
func New(o Settings) (*Workbooks, error) {
	for name, value := range map[string]string{
		"tenantId": o.TenantID, "clientId": o.ClientID, "clientSecret": o.ClientSecret, "sites": strings.Join(slices.Concat(o.Drives, o.Sites), ""),
	} {
		if value == "" {
			return nil, fmt.Errorf("%s: missing", name)
		}
	}
	base, err := rest.Endpoint(o.Endpoint, apiEndpoint)
	if err != nil {
		return nil, err
	}
	login, err := rest.Endpoint(o.TokenEndpoint, fmt.Sprintf(login, url.PathEscape(o.TenantID)))
	if err != nil {
		return nil, errors.New("tokenEndpoint: not an http or https address")
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	limiter := o.Limiter
	if limiter == nil {
		limiter = &rest.Buckets{Now: now}
	}
	account := clientcredentials.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, TokenURL: login,
		Scopes: []string{scope}, AuthStyle: oauth2.AuthStyleInParams,
	}
	client := rest.NewHTTPClient()
	return &Workbooks{
		rest: rest.Client{Base: base, Client: client, Tokens: &rest.Tokens{Source: account.TokenSource, Client: client}, Now: now},
		faults: rest.Faults{
			Service: "Microsoft 365",
			Share:   "let the application write to the file's site (Sites.Selected), or give it the permission Files.ReadWrite.All.",
			Login:   "check tenantId, clientId and clientSecret in the configuration, and that the secret has not expired.",
		},
		limiter: limiter,
		quotas: []host.Quota{{
			Account:   "graph:" + o.TenantID + ":" + o.ClientID,
			PerMinute: rest.OrDefault(o.PerMinute, DefaultGraphPerMinute),
		}},
		drives: o.Drives, sites: o.Sites, folders: o.Folders,
	}, nil
}

// Quotas implements host.Limited.
func (g *Workbooks) Quotas() []host.Quota { return g.quotas }

// maxShifts bounds what a patch shifts: each is a request of its own, made after the one before, twenty to a batch.
const maxShifts = 256

// MaxShifts returns how many shifts Write makes in some ten batches.
func (g *Workbooks) MaxShifts() int { return maxShifts }

// CanMove is false: the API has no cut and paste.
func (g *Workbooks) CanMove() bool { return false }

// Has asks for the item in the drives of the host.
func (g *Workbooks) Has(ctx context.Context, document string) error {
	if err := g.faults.InvalidDocument(document); err != nil {
		return err
	}
	if l, ok := g.single(); ok {
		_, err := g.search(ctx, document, []library{l})
		return err
	}
	_, err := g.libraryOf(ctx, document)
	return err
}
