package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// GraphOptions configures a Graph host. TenantID, ClientID, ClientSecret and Drive are required.
type GraphOptions struct {
	TenantID     string // the directory that knows the application
	ClientID     string // the application
	ClientSecret string
	Drive        string // id of the drive that holds the workbooks
	// Endpoint overrides the API's address with its version, https://graph.microsoft.com/v1.0.
	Endpoint string
	// TokenEndpoint overrides the address to log in at, https://login.microsoftonline.com/<TenantID>/oauth2/v2.0/token.
	TokenEndpoint string
	// PerMinute is the requests a minute that we allow ourselves, each of a batch counted. Zero: DefaultGraphPerMinute;
	// negative: no limit.
	PerMinute int
	// Limiter shares those out. Nil: Buckets of this process alone.
	Limiter Limiter
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// DefaultGraphPerMinute keeps even a full minute's requests sent at once below what the service allows an application in a
// tenant, 1,500 in 10 seconds.
const DefaultGraphPerMinute = 1500

const (
	graphEndpoint = "https://graph.microsoft.com/v1.0"
	graphScope    = "https://graph.microsoft.com/.default"
	graphLogin    = "https://login.microsoftonline.com/%s/oauth2/v2.0/token"
)

// Graph is the Host of Excel workbooks in OneDrive for Business and SharePoint, through Microsoft Graph. A document is the
// id of a drive item, a SheetID the worksheet's id. The API applies the steps of a write one after the other: the markers
// come last, so that a write that broke off is found as the old blocks and written again. Calls counts the batches of reads and of
// what writes change, not those that open and close the service's session and compare within it.
type Graph struct {
	rest    rest
	faults  restFaults
	limiter Limiter
	quotas  []quota
	drive   string // path of the drive
}

var _ Host = (*Graph)(nil)

// NewGraph makes a host that acts as an application. It sends nothing yet.
func NewGraph(o GraphOptions) (*Graph, error) {
	for name, value := range map[string]string{"tenantId": o.TenantID, "clientId": o.ClientID, "clientSecret": o.ClientSecret, "drive": o.Drive} {
		if value == "" {
			return nil, fmt.Errorf("%s: missing", name)
		}
	}
	base, err := endpoint(o.Endpoint, graphEndpoint)
	if err != nil {
		return nil, err
	}
	login, err := endpoint(o.TokenEndpoint, fmt.Sprintf(graphLogin, url.PathEscape(o.TenantID)))
	if err != nil {
		return nil, errors.New("tokenEndpoint: not an http or https address")
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	limiter := o.Limiter
	if limiter == nil {
		limiter = &Buckets{Now: now}
	}
	account := clientcredentials.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, TokenURL: login,
		Scopes: []string{graphScope}, AuthStyle: oauth2.AuthStyleInParams,
	}
	client := newClient()
	return &Graph{
		rest: rest{base: base, client: client, tokens: &tokens{source: account.TokenSource, client: client}, now: now},
		faults: restFaults{
			service: "Microsoft 365",
			share:   "give the application the permission Files.ReadWrite.All, or open the file's site to it.",
			login:   "check tenantId, clientId and clientSecret in the configuration, and that the secret has not expired.",
		},
		limiter: limiter,
		quotas:  []quota{{account: "graph:" + o.TenantID + ":" + o.ClientID, perMinute: orDefault(o.PerMinute, DefaultGraphPerMinute)}},
		drive:   "/drives/" + url.PathEscape(o.Drive),
	}, nil
}

// CanShift is true: Write honours a patch's Shifts.
func (g *Graph) CanShift() bool { return true }

// CanMove is false: the API has no cut and paste.
func (g *Graph) CanMove() bool { return false }

// Check asks for the drive.
func (g *Graph) Check(ctx context.Context) error {
	if err := takeQuota(ctx, g.limiter, g.faults, g.quotas, 1); err != nil {
		return err
	}
	body, err := g.rest.do(ctx, call{Method: http.MethodGet, Path: g.drive, Query: url.Values{"$select": {"id"}}})
	if err != nil {
		return g.fault(ctx, "", err)
	}
	return body.Close()
}

// item is the path of a document.
func (g *Graph) item(document string) string { return g.drive + "/items/" + url.PathEscape(document) }

// workbook is the path of a document's workbook.
func (g *Graph) workbook(document string) string { return g.item(document) + "/workbook" }

// odataKey writes a key as the API's addresses take it: in apostrophes, those inside doubled. A + would be read as a space in batches.
func odataKey(key string) string {
	return "('" + strings.ReplaceAll(url.PathEscape(strings.ReplaceAll(key, "'", "''")), "+", "%2B") + "')"
}
