package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mooring/placements"
)

// Faults words what a service refused. Its functions never put the service's own words into a message: they may hold
// addresses. Those go to the log as the cause.
type Faults struct {
	Service string // what users call it
	Share   string // what to do when a document is not open to us
	Login   string // what to do when our credentials are refused
}

// Fault classifies any error of a call about a document; an empty document means the service as such. Faults and the
// context's errors pass as they are.
func (f Faults) Fault(ctx context.Context, document string, err error) error {
	var fault *placements.Fault
	var refused *Refusal
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
	return f.Transient(0, err)
}

func (f Faults) refused(document string, r *Refusal) *placements.Fault {
	switch statusClass(r.Status) {
	case placements.Quota:
		return f.Quota(r.RetryAfter, r)
	case placements.Transient:
		if r.Status == http.StatusLocked {
			return f.InUse(document, r.RetryAfter, r)
		}
		return f.Transient(r.RetryAfter, r)
	case placements.Auth:
		if r.Status == http.StatusUnauthorized || document == "" {
			return f.Say(placements.Auth, r, "%s refused our credentials: %s", f.Service, f.Login)
		}
		return f.Say(placements.Auth, r, "%s does not let us into the spreadsheet %q: %s", f.Service, document, f.Share)
	case placements.Structure:
		if document == "" {
			return f.Say(placements.Structure, r, "%s does not know what the configuration names: check it.", f.Service)
		}
		return f.Say(placements.Structure, r,
			"%s finds no spreadsheet %q: it was deleted, or is not open to us; %s", f.Service, document, f.Share)
	}
	return f.Say(placements.Permanent, r, "%s refused the request as invalid. The log holds its reason.", f.Service)
}

func (f Faults) noToken(err *noToken) *placements.Fault {
	switch status := err.status(); {
	case status == http.StatusTooManyRequests:
		return f.Quota(0, err)
	case status/100 == 4:
		return f.Say(placements.Auth, err, "%s gave us no access: %s", f.Service, f.Login)
	}
	return f.Transient(0, err)
}

func (f Faults) Quota(wait time.Duration, cause error) *placements.Fault {
	fault := f.Say(placements.Quota, cause,
		"%s asks us to wait: our quota of requests is used up. The refresh goes on by itself.", f.Service)
	fault.RetryAfter = wait
	return fault
}

func (f Faults) Transient(wait time.Duration, cause error) *placements.Fault {
	fault := f.Say(placements.Transient, cause, "%s could not be reached or is busy. The refresh is tried again by itself.", f.Service)
	fault.RetryAfter = wait
	return fault
}

// Changed is the fault of a document that changed since it was read, or while it was.
func (f Faults) Changed(document string, cause error) *placements.Fault {
	fault := f.Say(placements.Transient, cause,
		"The spreadsheet %q changed while it was being refreshed. The refresh is tried again by itself.", document)
	fault.Reason = placements.ReasonLocked
	return fault
}

// InUse is the fault of a document that others edit, so that the service takes no writes to it now.
func (f Faults) InUse(document string, wait time.Duration, cause error) *placements.Fault {
	fault := f.Say(placements.Transient, cause,
		"The spreadsheet %q is being edited by others, and %s takes no writes to it now. The refresh is tried again by itself.", document, f.Service)
	fault.Reason, fault.RetryAfter = placements.ReasonLocked, wait
	return fault
}

// NotKept is the fault of cells that the service took and does not show.
func (f Faults) NotKept(document string) *placements.Fault {
	return f.Say(placements.Transient, nil, "%s took what goes into the spreadsheet %q but did not keep it: see that our account "+
		"may edit it. The refresh is tried again by itself.", f.Service, document)
}

// Partly makes a refusal Transient when a part of what was to be written stands already: nothing may be said to be refused then.
func (f Faults) Partly(document string, err error) error {
	var fault *placements.Fault
	if !errors.As(err, &fault) {
		return err
	}
	switch fault.Class {
	case placements.Auth, placements.Conflict, placements.Structure, placements.Permanent:
		return f.Say(placements.Transient, err, "%s took only a part of what goes into the spreadsheet %q, and refused the rest. "+
			"The refresh is tried again by itself. %s", f.Service, document, fault.Message)
	}
	return err
}

// NoSheet is the fault of a sheet that is not there.
func (f Faults) NoSheet(document, sheet string) *placements.Fault {
	return f.Say(placements.Structure, nil,
		"The spreadsheet %q has no sheet %q: restore the sheet, or place the report elsewhere.", document, sheet)
}

// NoCells is the fault of a sheet that has no cells.
func (f Faults) NoCells(document, sheet string) *placements.Fault {
	return f.Say(placements.Structure, nil, "The sheet %q of the spreadsheet %q has no cells: it shows a chart or a data source. "+
		"Place the report on another sheet.", sheet, document)
}

func (f Faults) Say(class placements.Class, cause error, format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: class, Message: fmt.Sprintf(format, args...), Err: cause}
}

// statusClass returns the class of an HTTP status; a service may know better from the body.
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

// InvalidDocument refuses ids that are no path segment, such as an empty one, before they name something else.
func (f Faults) InvalidDocument(document string) error {
	if document == "" || strings.Trim(document, ".") == "" || strings.ContainsAny(document, "/?#\\:") {
		return f.Say(placements.Structure, nil,
			"%q is no id of a spreadsheet in %s: connect the report to a spreadsheet again.", document, f.Service)
	}
	return nil
}
