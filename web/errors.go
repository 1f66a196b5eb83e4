package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

// Code names a fault for programs; it goes out as "code" (decisions.md §2).
type Code string

// The codes of the service. A code has one status, see statusOf.
const (
	codeMalformed     Code = "malformed_json"
	codeInvalid       Code = "invalid_request" // a type, range or length; what is required is missing
	codeUnknownKey    Code = "unknown_key"
	codeTooDeep       Code = "body_too_deep"
	codeParameter     Code = "invalid_parameter" // of the query
	codeUnknownQuery  Code = "unknown_parameter"
	codeCursor        Code = "invalid_cursor"
	codePublicID      Code = "invalid_public_id"
	codeReservedID    Code = "reserved_public_id"
	codePublicIDFixed Code = "public_id_fixed" // a request that would change it
	codeSlug          Code = "invalid_slug"
	codeSlugFixed     Code = "slug_fixed"
	codeWidgetTwice   Code = "duplicate_widget_id"
	codeNoReport      Code = "unknown_report"   // named by a chart
	codeNoWorkbook    Code = "unknown_workbook" // named by a report
	codeCron          Code = "invalid_cron"
	codeTimezone      Code = "invalid_timezone"
	codeAddress       Code = "invalid_address"
	codeChecksum      Code = "invalid_checksum"
	codeNoDraft       Code = "no_draft"
	codeUnauthorized  Code = "unauthorized"
	codeForbidden     Code = "forbidden"
	codeDocument      Code = "document_not_allowed"
	codeNotFound      Code = "not_found"
	codeNoRoute       Code = "no_route"
	codeMethod        Code = "method_not_allowed"
	codeTooLarge      Code = "body_too_large"
	codeMediaType     Code = "unsupported_media_type"
	codeElsewhere     Code = "public_id_elsewhere" // never shown: this conflict has no code on the wire
	codePublicIDTaken Code = "public_id_taken"
	codeSlugTaken     Code = "slug_taken"
	codeBranchChanged Code = "upsert_branch_changed"
	codeAmbiguous     Code = "ambiguous_legacy_id"
	codeVersion       Code = "version_mismatch"
	codeAddressTaken  Code = "placement_address_taken"
	codeIDTaken       Code = "placement_id_taken"
	codeInUse         Code = "report_in_use"
	codeNothing       Code = "nothing_to_refresh"
	codeRunning       Code = "run_in_progress"
	codeKeyInFlight   Code = "idempotency_in_flight"
	codeScheduleLimit Code = "schedule_limit"
	codeStale         Code = "precondition_failed"
	codeKeyReused     Code = "idempotency_key_reused"
	codeQueryFailed   Code = "query_failed"
	codeRateLimited   Code = "rate_limited"
	codeUnavailable   Code = "unavailable"
	codeResultsBusy   Code = "results_busy"
	codeFull          Code = "storage_full"
	codeInternal      Code = "internal"
)

// statusOf is the one map from codes to statuses.
var statusOf = map[Code]int{
	codeMalformed:     http.StatusBadRequest,
	codeInvalid:       http.StatusBadRequest,
	codeUnknownKey:    http.StatusBadRequest,
	codeTooDeep:       http.StatusBadRequest,
	codeParameter:     http.StatusBadRequest,
	codeUnknownQuery:  http.StatusBadRequest,
	codeCursor:        http.StatusBadRequest,
	codePublicID:      http.StatusBadRequest,
	codeReservedID:    http.StatusBadRequest,
	codePublicIDFixed: http.StatusBadRequest,
	codeSlug:          http.StatusBadRequest,
	codeSlugFixed:     http.StatusBadRequest,
	codeWidgetTwice:   http.StatusBadRequest,
	codeNoReport:      http.StatusBadRequest,
	codeNoWorkbook:    http.StatusBadRequest,
	codeCron:          http.StatusBadRequest,
	codeTimezone:      http.StatusBadRequest,
	codeAddress:       http.StatusBadRequest,
	codeChecksum:      http.StatusBadRequest,
	codeNoDraft:       http.StatusBadRequest,
	codeUnauthorized:  http.StatusUnauthorized,
	codeForbidden:     http.StatusForbidden,
	codeDocument:      http.StatusForbidden,
	codeNotFound:      http.StatusNotFound,
	codeNoRoute:       http.StatusNotFound,
	codeMethod:        http.StatusMethodNotAllowed,
	codeTooLarge:      http.StatusRequestEntityTooLarge,
	codeMediaType:     http.StatusUnsupportedMediaType,
	codeElsewhere:     http.StatusConflict,
	codePublicIDTaken: http.StatusConflict,
	codeSlugTaken:     http.StatusConflict,
	codeBranchChanged: http.StatusConflict,
	codeAmbiguous:     http.StatusConflict,
	codeVersion:       http.StatusConflict,
	codeAddressTaken:  http.StatusConflict,
	codeIDTaken:       http.StatusConflict,
	codeInUse:         http.StatusConflict,
	codeNothing:       http.StatusConflict,
	codeRunning:       http.StatusConflict,
	codeKeyInFlight:   http.StatusConflict,
	codeScheduleLimit: http.StatusConflict,
	codeStale:         http.StatusPreconditionFailed,
	codeKeyReused:     http.StatusUnprocessableEntity,
	codeQueryFailed:   http.StatusUnprocessableEntity,
	codeRateLimited:   http.StatusTooManyRequests,
	codeUnavailable:   http.StatusServiceUnavailable,
	codeResultsBusy:   http.StatusServiceUnavailable,
	codeFull:          http.StatusServiceUnavailable,
	codeInternal:      http.StatusInternalServerError,
}

// status is the code's status; a code that the map lacks is a mistake of ours.
func (c Code) status() int {
	if status, ok := statusOf[c]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// retryable holds the codes whose request may succeed when simply sent again.
var retryable = map[Code]bool{
	codeBranchChanged: true,
	codeKeyInFlight:   true,
	codeRunning:       true,
	codeRateLimited:   true,
	codeUnavailable:   true,
	codeResultsBusy:   true,
	codeFull:          true,
}

// fault is an error that a client sees: Message says what is wrong and what to do and holds nothing internal; err is the
// cause, for the log only.
type fault struct {
	code       Code
	message    string
	details    []detail
	retryAfter time.Duration // zero: no Retry-After
	err        error
}

// detail is one fault of a request: of its body at a JSON pointer (RFC 6901), of its path at the empty one. Message is a sentence, or
// without a final stop a predicate of what Pointer names.
type detail struct {
	Pointer string `json:"pointer"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
	RunID   string `json:"runId,omitempty"` // of run_in_progress
}

// sentence is the message by itself.
func (d detail) sentence() string {
	switch {
	case strings.HasSuffix(d.Message, "."):
		return d.Message
	case d.Pointer == "":
		return "The request body " + d.Message + "."
	}
	return "In the request body, " + d.Pointer + " " + d.Message + "."
}

// maxDetails bounds the faults told in one answer.
const maxDetails = 100

// ordered are faults as they are told: by their pointers, and not without end.
func ordered(details []detail) []detail {
	slices.SortStableFunc(details, func(a, b detail) int { return strings.Compare(a.Pointer, b.Pointer) })
	return details[:min(len(details), maxDetails)]
}

// faulty is the refusal of a request with these faults, of which there is one at least. Its code is that of the first.
func faulty(details []detail) *fault {
	details = ordered(details)
	f := refuse(details[0].Code, "%s", details[0].sentence())
	if f.details = details; len(details) > 1 {
		f.message = fmt.Sprintf("The request body has %d faults; see details.", len(details))
	}
	return f
}

// errorBody is the body of every error answer (decisions.md §2).
type errorBody struct {
	StatusCode int      `json:"statusCode"`
	Error      string   `json:"error"`
	Message    string   `json:"message"`
	Code       Code     `json:"code,omitempty"`
	Retryable  bool     `json:"retryable"`
	Details    []detail `json:"details,omitempty"`
}

func (f *fault) Error() string {
	if f.err != nil {
		return fmt.Sprintf("%s: %v", f.message, f.err)
	}
	return f.message
}

func (f *fault) Unwrap() error { return f.err }

// refuse makes a fault from a code and a sentence for the client.
func refuse(code Code, format string, args ...any) *fault {
	return &fault{code: code, message: fmt.Sprintf(format, args...)}
}

// because keeps the cause for the log.
func (f *fault) because(err error) *fault {
	f.err = err
	return f
}

// asFault turns any error into what the client is told. An unclassified error is a 500 without its text.
func asFault(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if f := storageFault(err); f != nil {
		return f
	}
	return refuse(codeInternal, "Something went wrong on our side; quote the X-Request-Id when you report it.").because(err)
}

// writeFault answers with f.
func writeFault(c *gin.Context, f *fault) {
	status := f.code.status()
	body := errorBody{
		StatusCode: status,
		Error:      http.StatusText(status),
		Message:    f.message,
		Code:       f.code,
		Retryable:  retryable[f.code],
		Details:    f.details,
	}
	if f.code == codeElsewhere {
		body.Code = "" // interface.md, report upsert rule 6
	}
	if f.retryAfter > 0 {
		c.Header("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	if f.code == codeUnauthorized {
		c.Header("WWW-Authenticate", "Bearer")
	}
	c.JSON(status, body)
}
