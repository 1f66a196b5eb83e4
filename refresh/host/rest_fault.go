package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mooring/placements"
)

// restFaults words what a service refused. Its functions never put the service's own words into a message: they may hold
// addresses. Those go to the log as the cause.
type restFaults struct {
	service string // what users call it
	share   string // what to do when a document is not open to us
	login   string // what to do when our credentials are refused
}

// fault classifies any error of a call about a document; an empty document means the service as such. Faults and the
// context's errors pass as they are.
func (f restFaults) fault(ctx context.Context, document string, err error) error {
	var fault *placements.Fault
	var refused *refusal
	var token *noToken
	switch {
	case err == nil || errors.As(err, &fault):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		return f.refused(document, refused)
	case errors.As(err, &token):
		return f.noToken(token)
	}
	return f.transient(0, err)
}

func (f restFaults) refused(document string, r *refusal) *placements.Fault {
	switch statusClass(r.Status) {
	case placements.Quota:
		return f.quota(r.RetryAfter, r)
	case placements.Transient:
		return f.transient(r.RetryAfter, r)
	case placements.Auth:
		if r.Status == http.StatusUnauthorized || document == "" {
			return f.say(placements.Auth, r, "%s refused our credentials: %s", f.service, f.login)
		}
		return f.say(placements.Auth, r, "%s does not let us into the spreadsheet %q: %s", f.service, document, f.share)
	case placements.Structure:
		if document == "" {
			return f.say(placements.Structure, r, "%s does not know what the configuration names: check it.", f.service)
		}
		return f.say(placements.Structure, r, "%s finds no spreadsheet %q: it was deleted, or is not open to us; %s", f.service, document, f.share)
	}
	return f.say(placements.Permanent, r, "%s refused the request as invalid. The log holds its reason.", f.service)
}

func (f restFaults) noToken(err *noToken) *placements.Fault {
	switch status := err.status(); {
	case status == http.StatusTooManyRequests:
		return f.quota(0, err)
	case status/100 == 4:
		return f.say(placements.Auth, err, "%s gave us no access: %s", f.service, f.login)
	}
	return f.transient(0, err)
}

func (f restFaults) quota(wait time.Duration, cause error) *placements.Fault {
	fault := f.say(placements.Quota, cause, "%s asks us to wait: our quota of requests is used up. The refresh goes on by itself.", f.service)
	fault.RetryAfter = wait
	return fault
}

func (f restFaults) transient(wait time.Duration, cause error) *placements.Fault {
	fault := f.say(placements.Transient, cause, "%s could not be reached or is busy. The refresh is tried again by itself.", f.service)
	fault.RetryAfter = wait
	return fault
}

// changed is the fault of a document that changed since it was read, or while it was.
func (f restFaults) changed(document string, cause error) *placements.Fault {
	return f.say(placements.Transient, cause, "The spreadsheet %q changed while it was being refreshed. The refresh is tried again by itself.", document)
}

// notKept is the fault of cells that the service took and does not show.
func (f restFaults) notKept(document string) *placements.Fault {
	return f.say(placements.Transient, nil, "%s took what goes into the spreadsheet %q but did not keep it: see that our account "+
		"may edit it. The refresh is tried again by itself.", f.service, document)
}

// partly makes a refusal Transient when a part of what was to be written stands already: nothing may be said to be refused then.
func (f restFaults) partly(document string, err error) error {
	var fault *placements.Fault
	if !errors.As(err, &fault) {
		return err
	}
	switch fault.Class {
	case placements.Auth, placements.Conflict, placements.Structure, placements.Permanent:
		return f.say(placements.Transient, err, "%s took only a part of what goes into the spreadsheet %q, and refused the rest. "+
			"The refresh is tried again by itself. %s", f.service, document, fault.Message)
	}
	return err
}

// noSheet is the fault of a sheet that is not there.
func (f restFaults) noSheet(document, sheet string) *placements.Fault {
	return f.say(placements.Structure, nil, "The spreadsheet %q has no sheet %q: restore the sheet, or place the report elsewhere.", document, sheet)
}

// noCells is the fault of a sheet that has no cells.
func (f restFaults) noCells(document, sheet string) *placements.Fault {
	return f.say(placements.Structure, nil, "The sheet %q of the spreadsheet %q has no cells: it shows a chart or a data source. "+
		"Place the report on another sheet.", sheet, document)
}

func (f restFaults) say(class placements.Class, cause error, format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: class, Message: fmt.Sprintf(format, args...), Err: cause}
}

// statusClass gives the class of an HTTP status; a service may know better from the body.
func statusClass(status int) placements.Class {
	switch status {
	case http.StatusTooManyRequests:
		return placements.Quota
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusPreconditionFailed, http.StatusLocked, http.StatusTooEarly:
		return placements.Transient
	case http.StatusUnauthorized, http.StatusForbidden:
		return placements.Auth
	case http.StatusNotFound, http.StatusGone:
		return placements.Structure
	}
	if status >= 500 && status != http.StatusNotImplemented {
		return placements.Transient
	}
	return placements.Permanent
}

// invalidDocument refuses ids that are no path segment, such as an empty one, before they name something else.
func (f restFaults) invalidDocument(document string) error {
	if document == "" || strings.Trim(document, ".") == "" || strings.ContainsAny(document, "/?#\\:") {
		return f.say(placements.Structure, nil, "%q is no id of a spreadsheet in %s: connect the report to a spreadsheet again.", document, f.service)
	}
	return nil
}
