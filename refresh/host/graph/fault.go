package graph

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/rest"
)

// serviceError is the body of a refusal; the inner error says more than the outer one.
type serviceError struct {
	Code  string        `json:"code"`
	Inner *serviceError `json:"innerError"`
}

// codes are an error's codes, the most general one first, in lower case.
func (e *serviceError) codes() []string {
	var codes []string
	for ; e != nil; e = e.Inner {
		if e.Code != "" {
			codes = append(codes, strings.ToLower(e.Code))
		}
	}
	return codes
}

// fault classifies an error of a call about a document. Where a code says more than the status, the code counts
// (Microsoft Graph, error codes for workbooks).
func (g *Workbooks) fault(ctx context.Context, document string, err error) error {
	var fault *placements.Fault
	var refused *rest.Refusal
	if !errors.As(err, &fault) && errors.As(err, &refused) { // a fault may have a refusal as its cause
		var body struct {
			Error *serviceError `json:"error"`
		}
		_ = json.Unmarshal(refused.Body, &body) // a body cut short or of another form has no codes
		for _, code := range body.Error.codes() {
			if fault := g.coded(document, code, refused); fault != nil {
				return fault
			}
		}
	}
	return g.faults.Fault(ctx, document, err)
}

func (g *Workbooks) coded(document, code string, refused *rest.Refusal) error {
	switch code {
	case "unsupportedworkbook", "invalidsessionunsupportedworkbook":
		return g.faults.Say(placements.Permanent, refused,
			"%s cannot open the spreadsheet %q: it is too large, or uses features that the service lacks.", g.faults.Service, document)
	case "insertdeleteconflict", "nonblankcelloffsheet", "filteredrangeconflict":
		return g.faults.Say(placements.Conflict, refused,
			"The rows of the spreadsheet %q cannot be moved: a filter, a table or the sheet's end is in the way. "+
				"Remove it, or place the report elsewhere.", document)
	case "invalidsessionrestricted", "invalidsessionauthentication":
		return nil // the status says it
	case "accessconflict", "resourcelocked", "editmodeworkbookinuse":
		return g.faults.InUse(document, refused.RetryAfter, refused)
	case "transientfailure", "requestaborted":
		return g.faults.Transient(refused.RetryAfter, refused)
	}
	switch {
	case strings.HasPrefix(code, "editmodecannotacquirelock"):
		return g.faults.InUse(document, refused.RetryAfter, refused)
	case strings.HasPrefix(code, "invalidsession"):
		return g.faults.Transient(refused.RetryAfter, refused)
	}
	return nil
}

// driveFault is the fault of a request about a library.
func (g *Workbooks) driveFault(ctx context.Context, l library, err error) error {
	switch {
	case err == nil:
		return nil
	case rest.IsStatus(err, http.StatusForbidden):
		return g.faults.Say(placements.Auth, err, "permission: %s does not let the application into the library %s: let it write to its site "+
			"(Sites.Selected), or give it Files.ReadWrite.All.", g.faults.Service, l.title())
	case isAbsent(err):
		return g.faults.Say(placements.Structure, err, "library: %s knows no library %s: check its id in the configuration.", g.faults.Service, l.title())
	}
	return g.fault(ctx, "", err)
}
