package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
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
// The API has no conditional write, so a View has no Revision: what a person does between Read and Write is not noticed.
type Google struct {
	rest    rest
	faults  restFaults
	limiter Limiter
	reads   []quota
	writes  []quota
	memory  googleMemory
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
		rest: rest{base: base, client: client, tokens: &tokens{source: account.tokens, client: client}, now: now},
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

// endpoint gives an address without its trailing slash, or the usual one when it is empty.
func endpoint(configured, usual string) (string, error) {
	if configured == "" {
		return usual, nil
	}
	u, err := url.Parse(configured)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("endpoint: not an http or https address")
	}
	return strings.TrimRight(configured, "/"), nil
}

func googleQuotas(kind string, account googleAccount, o GoogleOptions) []quota {
	return []quota{
		{account: fmt.Sprintf("google:%s:user:%s", kind, account.user()), perMinute: orDefault(o.PerUser, DefaultGooglePerUser)},
		{account: fmt.Sprintf("google:%s:project:%s", kind, account.project()), perMinute: orDefault(o.PerProject, DefaultGooglePerProject)},
	}
}

// orDefault reads an optional limit: zero is the default, negative none.
func orDefault(limit, usual int) int {
	if limit == 0 {
		return usual
	}
	return max(limit, 0)
}

// CanShift is true: Write honours a patch's Shifts.
func (g *Google) CanShift() bool { return true }

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

// fault classifies an error of a call about a document. Google also says 403 for a used-up quota.
func (g *Google) fault(ctx context.Context, document string, err error) error {
	var refused *refusal
	if errors.As(err, &refused) && refused.Status == http.StatusForbidden {
		for _, reason := range []string{"RESOURCE_EXHAUSTED", "rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"} {
			if strings.Contains(string(refused.Body), reason) {
				return g.faults.quota(refused.RetryAfter, refused)
			}
		}
	}
	return g.faults.fault(ctx, document, err)
}

// path is the address of a document's resource. The id is the user's and may hold anything.
func (g *Google) path(document string) string { return "/v4/spreadsheets/" + url.PathEscape(document) }

// invalidDocument refuses ids that are no path segment, such as an empty one, before they name something else.
func (f restFaults) invalidDocument(document string) error {
	if document == "" || strings.Trim(document, ".") == "" || strings.ContainsAny(document, "/?#\\:") {
		return f.say(placements.Structure, nil, "%q is no id of a spreadsheet in %s: connect the report to a spreadsheet again.", document, f.service)
	}
	return nil
}
