package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Settings configures a Google host. Only Credentials is required.
type Settings struct {
	// Credentials is the JSON of a service account's key, or of an authorized user (client_id, client_secret, refresh_token).
	Credentials []byte
	// Endpoint overrides the API's address, https://sheets.googleapis.com.
	Endpoint string
	// PerUser and PerProject are the requests a minute that we allow ourselves, reads and writes counted apart as the API
	// does. Zero: DefaultGooglePerUser and DefaultGooglePerProject; negative: no limit.
	PerUser, PerProject int
	// Limiter shares those out. Nil: Buckets of this process alone.
	Limiter host.Limiter
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// The API's own quotas of requests a minute, for reads as for writes.
const (
	DefaultGooglePerUser    = 60
	DefaultGooglePerProject = 300
)

const (
	apiEndpoint = "https://sheets.googleapis.com"
	scope       = "https://www.googleapis.com/auth/spreadsheets"
)

// Sheets is the driver of Google Sheets, through its API v4. A document is a spreadsheet's id, a SheetID the decimal sheetId.
//
// Where rows are gained at an end of a block, a formula directly below it counts them; one elsewhere whose range ends there does not, as
// the service has it. The API has no conditional write: of what a person does between Read and Write only what moves a block is noticed,
// and that not always.
type Sheets struct {
	rest    rest.Client
	faults  rest.Faults
	limiter host.Limiter
	reads   []host.Quota
	writes  []host.Quota
}

var (
	_ host.Driver  = (*Sheets)(nil)
	_ host.Limited = (*Sheets)(nil)
)

// New makes a host of the account that o.Credentials name. It sends nothing yet.
func New(o Settings) (*Sheets, error) {
	account, err := parseGoogleCredentials(o.Credentials)
	if err != nil {
		return nil, err
	}
	base, err := rest.Endpoint(o.Endpoint, apiEndpoint)
	if err != nil {
		return nil, err
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	limiter := o.Limiter
	if limiter == nil {
		limiter = &rest.Buckets{Now: now}
	}
	client := rest.NewHTTPClient()
	return &Sheets{
		rest: rest.Client{
			Base: base, Client: client, Header: account.header(),
			Tokens: &rest.Tokens{Source: account.tokens, Client: client}, Now: now,
		},
		faults: rest.Faults{
			Service: "Google Sheets",
			Share:   account.share(),
			Login:   "check the credentials file in the configuration, and that the Google Sheets API is enabled in its project.",
		},
		limiter: limiter,
		reads:   quotasOf("read", account, o),
		writes:  quotasOf("write", account, o),
	}, nil
}

func quotasOf(kind string, account account, o Settings) []host.Quota {
	return []host.Quota{
		{Account: fmt.Sprintf("google:%s:user:%s", kind, account.user()), PerMinute: rest.OrDefault(o.PerUser, DefaultGooglePerUser)},
		{
			Account:   fmt.Sprintf("google:%s:project:%s", kind, account.project()),
			PerMinute: rest.OrDefault(o.PerProject, DefaultGooglePerProject),
		},
	}
}

// Quotas implements host.Limited.
func (g *Sheets) Quotas() []host.Quota { return slices.Concat(g.reads, g.writes) }

// maxShifts bounds what a patch shifts: two requests each, all of one call, which the service ends after three minutes.
const maxShifts = 1000

// MaxShifts returns how many shifts a call carries out in time.
func (g *Sheets) MaxShifts() int { return maxShifts }

// CanMove is true: Write honours a patch's Moves.
func (g *Sheets) CanMove() bool { return true }

// Check asks for a spreadsheet that cannot exist: "not found" comes only to those whom the API knows and lets in.
func (g *Sheets) Check(ctx context.Context) error {
	if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.reads, 1); err != nil {
		return err
	}
	body, err := g.rest.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/v4/spreadsheets/mooring-check",
		Query: url.Values{"fields": {"spreadsheetId"}},
	})
	var refused *rest.Refusal
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return g.fault(ctx, "", err)
	}
	return body.Close()
}

// Has asks for the id of a spreadsheet.
func (g *Sheets) Has(ctx context.Context, document string) error {
	if err := g.faults.InvalidDocument(document); err != nil {
		return err
	}
	if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.reads, 1); err != nil {
		return err
	}
	body, err := g.rest.Do(ctx, rest.Call{Method: http.MethodGet, Path: g.path(document), Query: url.Values{"fields": {"spreadsheetId"}}})
	if err != nil {
		return g.fault(ctx, document, err)
	}
	return body.Close()
}

// fault classifies an error of a call about a document. Some reasons stand in the body only.
func (g *Sheets) fault(ctx context.Context, document string, err error) error {
	var refused *rest.Refusal
	if errors.As(err, &refused) {
		switch {
		case refused.Status == http.StatusForbidden && refused.Says("RESOURCE_EXHAUSTED", "RateLimitExceeded", "RATE_LIMIT_EXCEEDED"):
			return g.faults.Quota(refused.RetryAfter, refused)
		case refused.Status == http.StatusBadRequest && refused.Says("FAILED_PRECONDITION"):
			return g.faults.Say(placements.Permanent, refused,
				"The document %q is no Google spreadsheet: save an Excel file as Google Sheets first.", document)
		case refused.Status == http.StatusBadRequest && refused.Says("protected cell"):
			return g.faults.Say(placements.Auth, refused,
				"Cells of the spreadsheet %q are protected: let our account edit them, or place the report elsewhere.", document)
		}
	}
	return g.faults.Fault(ctx, document, err)
}

// path is the address of a document's resource. The id is the user's and may hold anything.
func (g *Sheets) path(document string) string { return "/v4/spreadsheets/" + url.PathEscape(document) }
