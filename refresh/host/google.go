package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"mooring/placements"
)

// GoogleOptions configures a Google host. Only Credentials is required.
type GoogleOptions struct {
	// Credentials is the JSON of a service account's key, or of an authorized user (client_id, client_secret, refresh_token).
	Credentials []byte
	// Endpoint overrides the API's address, https://sheets.googleapis.com.
	Endpoint string
	// PerUser and PerProject are the requests a minute that we allow ourselves, reads and writes counted apart as the API
	// does. Zero: DefaultGooglePerUser and DefaultGooglePerProject; negative: no limit.
	PerUser, PerProject int
	// Limiter shares those out. Nil: Buckets of this process alone.
	Limiter Limiter
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// The API's own quotas of requests a minute, for reads as for writes.
const (
	DefaultGooglePerUser    = 60
	DefaultGooglePerProject = 300
)

const (
	googleEndpoint = "https://sheets.googleapis.com"
	googleScope    = "https://www.googleapis.com/auth/spreadsheets"
)

// Google is the Host of Google Sheets, through its API v4. A document is a spreadsheet's id, a SheetID the decimal sheetId.
// The API has no conditional write: of what a person does between Read and Write only what moves a block is noticed, and that not always.
type Google struct {
	rest    rest
	faults  restFaults
	limiter Limiter
	reads   []quota
	writes  []quota
}

var _ Host = (*Google)(nil)

// NewGoogle makes a host of the account that o.Credentials name. It sends nothing yet.
func NewGoogle(o GoogleOptions) (*Google, error) {
	account, err := parseGoogleCredentials(o.Credentials)
	if err != nil {
		return nil, err
	}
	base, err := endpoint(o.Endpoint, googleEndpoint)
	if err != nil {
		return nil, err
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	limiter := o.Limiter
	if limiter == nil {
		limiter = &Buckets{Now: now}
	}
	client := newClient()
	return &Google{
		rest: rest{base: base, client: client, header: account.header(), tokens: &tokens{source: account.tokens, client: client}, now: now},
		faults: restFaults{
			service: "Google Sheets",
			share:   account.share(),
			login:   "check the credentials file in the configuration, and that the Google Sheets API is enabled in its project.",
		},
		limiter: limiter,
		reads:   googleQuotas("read", account, o),
		writes:  googleQuotas("write", account, o),
	}, nil
}

func googleQuotas(kind string, account googleAccount, o GoogleOptions) []quota {
	return []quota{
		{account: fmt.Sprintf("google:%s:user:%s", kind, account.user()), perMinute: orDefault(o.PerUser, DefaultGooglePerUser)},
		{account: fmt.Sprintf("google:%s:project:%s", kind, account.project()), perMinute: orDefault(o.PerProject, DefaultGooglePerProject)},
	}
}

// CanShift is true: Write honours a patch's Shifts.
func (g *Google) CanShift() bool { return true }

// CanMove is true: Write honours a patch's Moves.
func (g *Google) CanMove() bool { return true }

// Check asks for a spreadsheet that cannot exist: "not found" comes only to those whom the API knows and lets in.
func (g *Google) Check(ctx context.Context) error {
	if err := takeQuota(ctx, g.limiter, g.faults, g.reads, 1); err != nil {
		return err
	}
	body, err := g.rest.do(ctx, call{
		Method: http.MethodGet, Path: "/v4/spreadsheets/mooring-check",
		Query: url.Values{"fields": {"spreadsheetId"}},
	})
	var refused *refusal
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return g.fault(ctx, "", err)
	}
	return body.Close()
}

// fault classifies an error of a call about a document. Some reasons stand in the body only.
func (g *Google) fault(ctx context.Context, document string, err error) error {
	var refused *refusal
	if errors.As(err, &refused) {
		switch {
		case refused.Status == http.StatusForbidden && refused.says("RESOURCE_EXHAUSTED", "RateLimitExceeded", "RATE_LIMIT_EXCEEDED"):
			return g.faults.quota(refused.RetryAfter, refused)
		case refused.Status == http.StatusBadRequest && refused.says("FAILED_PRECONDITION"):
			return g.faults.say(placements.Permanent, refused, "The document %q is no Google spreadsheet: save an Excel file as Google Sheets first.", document)
		case refused.Status == http.StatusBadRequest && refused.says("protected cell"):
			return g.faults.say(placements.Auth, refused, "Cells of the spreadsheet %q are protected: let our account edit them, or place the report elsewhere.", document)
		}
	}
	return g.faults.fault(ctx, document, err)
}

// path is the address of a document's resource. The id is the user's and may hold anything.
func (g *Google) path(document string) string { return "/v4/spreadsheets/" + url.PathEscape(document) }
