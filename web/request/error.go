package request

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mooring/placements"
	"mooring/storage"
)

// response says how a code is answered.
type response struct {
	status    int
	retryable bool // the request may succeed when simply sent again
}

// responses is the one map from codes to statuses.
var responses = map[placements.Code]response{
	placements.CodeMalformed:     {status: http.StatusBadRequest},
	placements.CodeInvalid:       {status: http.StatusBadRequest},
	placements.CodeUnknownKey:    {status: http.StatusBadRequest},
	placements.CodeTooDeep:       {status: http.StatusBadRequest},
	placements.CodeParameter:     {status: http.StatusBadRequest},
	placements.CodeUnknownQuery:  {status: http.StatusBadRequest},
	placements.CodeCursor:        {status: http.StatusBadRequest},
	placements.CodePublicID:      {status: http.StatusBadRequest},
	placements.CodeReservedID:    {status: http.StatusBadRequest},
	placements.CodePublicIDFixed: {status: http.StatusBadRequest},
	placements.CodeSlug:          {status: http.StatusBadRequest},
	placements.CodeSlugFixed:     {status: http.StatusBadRequest},
	placements.CodeKeyFixed:      {status: http.StatusBadRequest},
	placements.CodeWidgetTwice:   {status: http.StatusBadRequest},
	placements.CodeNoReport:      {status: http.StatusBadRequest},
	placements.CodeReportsDiffer: {status: http.StatusBadRequest},
	placements.CodeTargetsDiffer: {status: http.StatusBadRequest},
	placements.CodeNoWorkbook:    {status: http.StatusBadRequest},
	placements.CodeCron:          {status: http.StatusBadRequest},
	placements.CodeTimezone:      {status: http.StatusBadRequest},
	placements.CodeAddress:       {status: http.StatusBadRequest},
	placements.CodeChecksum:      {status: http.StatusBadRequest},
	placements.CodeDraftsDiffer:  {status: http.StatusBadRequest},
	placements.CodeNoDraft:       {status: http.StatusBadRequest},

	placements.CodeParameterUndeclared: {status: http.StatusBadRequest},
	placements.CodeParameterUnused:     {status: http.StatusBadRequest},
	placements.CodeParameterInvalid:    {status: http.StatusBadRequest},
	placements.CodeParameterValue:      {status: http.StatusBadRequest},
	placements.CodeParameterCell:       {status: http.StatusBadRequest},

	placements.CodeUnauthorized:  {status: http.StatusUnauthorized},
	placements.CodeSignature:     {status: http.StatusUnauthorized},
	placements.CodeForbidden:     {status: http.StatusForbidden},
	placements.CodeCSRF:          {status: http.StatusForbidden},
	placements.CodeForeignPage:   {status: http.StatusForbidden},
	placements.CodeOtherTenant:   {status: http.StatusForbidden},
	placements.CodeOtherDeploy:   {status: http.StatusForbidden},
	placements.CodeDocument:      {status: http.StatusForbidden},
	placements.CodeNotPlacer:     {status: http.StatusForbidden},
	placements.CodeNotFound:      {status: http.StatusNotFound},
	placements.CodeNoRoute:       {status: http.StatusNotFound},
	placements.CodeNoPublicURL:   {status: http.StatusNotFound},
	placements.CodeMethod:        {status: http.StatusMethodNotAllowed},
	placements.CodeElsewhere:     {status: http.StatusConflict},
	placements.CodePublicIDTaken: {status: http.StatusConflict},
	placements.CodeSlugTaken:     {status: http.StatusConflict},
	placements.CodeBranchChanged: {status: http.StatusConflict, retryable: true},
	placements.CodeAmbiguous:     {status: http.StatusConflict},
	placements.CodeVersion:       {status: http.StatusConflict},
	placements.CodeAddressTaken:  {status: http.StatusConflict},
	placements.CodeIDTaken:       {status: http.StatusConflict},
	placements.CodeInUse:         {status: http.StatusConflict},
	placements.CodeNothing:       {status: http.StatusConflict},
	placements.CodeNothingToPut:  {status: http.StatusConflict},
	placements.CodeCountChanged:  {status: http.StatusConflict},
	placements.CodeRunning:       {status: http.StatusConflict, retryable: true},
	placements.CodeKeyInFlight:   {status: http.StatusConflict, retryable: true},
	placements.CodeScheduleLimit: {status: http.StatusConflict},
	placements.CodeAssetTwice:    {status: http.StatusBadRequest},
	placements.CodePlanTooLarge:  {status: http.StatusRequestEntityTooLarge},
	placements.CodePruneLimit:    {status: http.StatusConflict},
	placements.CodePlanStale:     {status: http.StatusConflict},
	placements.CodePlanExpired:   {status: http.StatusNotFound},
	placements.CodePlanConflicts: {status: http.StatusConflict},
	placements.CodeKeyTaken:      {status: http.StatusConflict},
	placements.CodeNoSigningKey:  {status: http.StatusConflict},
	placements.CodeKeyLimit:      {status: http.StatusConflict},
	placements.CodeLeaseLost:     {status: http.StatusConflict},
	placements.CodeDigest:        {status: http.StatusConflict},
	placements.CodeBlockConflict: {status: http.StatusConflict},
	placements.CodeStale:         {status: http.StatusPreconditionFailed},
	placements.CodeTooLarge:      {status: http.StatusRequestEntityTooLarge},
	placements.CodeMediaType:     {status: http.StatusUnsupportedMediaType},
	placements.CodePacked:        {status: http.StatusUnsupportedMediaType},
	placements.CodeKeyReused:     {status: http.StatusUnprocessableEntity},
	placements.CodeQueryFailed:   {status: http.StatusUnprocessableEntity},
	placements.CodeRateLimited:   {status: http.StatusTooManyRequests, retryable: true},
	placements.CodeLooksLimit:    {status: http.StatusTooManyRequests, retryable: true},
	placements.CodePreviewBusy:   {status: http.StatusTooManyRequests, retryable: true},
	placements.CodeUnavailable:   {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeSourceDown:    {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeResultsBusy:   {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeStorage:       {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeFull:          {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeNotSaving:     {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeReadOnly:      {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeFewReplicas:   {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeLoading:       {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeClusterDown:   {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeDenied:        {status: http.StatusServiceUnavailable, retryable: true},
	placements.CodeInternal:      {status: http.StatusInternalServerError},
}

// responseTo returns how a code is answered; one that the map lacks is a mistake of ours.
func responseTo(code placements.Code) response {
	if r, ok := responses[code]; ok {
		return r
	}
	return responses[placements.CodeInternal]
}

// The Retry-After of a storage that does not answer, of one that waits for an operator, of a lock that was not obtained, and of a retryable
// conflict.
const (
	OutageRetry   = 5 * time.Second
	operatorRetry = time.Minute
	lockRetry     = time.Second
	conflictRetry = time.Second
)

// AsError turns any error into what the client is told. An unclassified error is a 500 without its text.
func AsError(err error) *placements.Error {
	if e := Classified(err); e != nil {
		return e
	}
	return internalError().Because(err)
}

func internalError() *placements.Error {
	return placements.Errorf(placements.CodeInternal, "Something went wrong on our side; quote the X-Request-Id when you report it.")
}

// Classified returns what the client is told about an error of this package or those below; nil when none of them classified it.
func Classified(err error) *placements.Error {
	if e, ok := errors.AsType[*placements.Error](err); ok {
		return e
	}
	if r, ok := errors.AsType[*storage.Refusal](err); ok {
		return refusedBy(r, err)
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return NotFound("asset").Because(err)
	case errors.Is(err, storage.ErrBusy), errors.Is(err, storage.ErrLockLost):
		e := placements.Errorf(placements.CodeUnavailable,
			"Others are writing this asset right now; nothing was changed, try again.").Because(err)
		e.RetryAfter = lockRetry
		return e
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Unavailable(err)
	}
	return nil
}

// Unavailable is the 503 of a storage that does not answer.
func Unavailable(err error) *placements.Error {
	e := placements.Errorf(placements.CodeStorage, "The service cannot reach its storage right now; try again.").Because(err)
	e.RetryAfter = OutageRetry
	return e
}

// refusals says how each refusal of the storage is answered.
var refusals = map[*storage.Refusal]struct {
	code  placements.Code
	after time.Duration
}{
	storage.ErrFull:        {placements.CodeFull, operatorRetry},
	storage.ErrNotSaving:   {placements.CodeNotSaving, operatorRetry},
	storage.ErrNoRoom:      {placements.CodeFull, operatorRetry},
	storage.ErrNotKept:     {placements.CodeNotSaving, operatorRetry},
	storage.ErrReadOnly:    {placements.CodeReadOnly, OutageRetry}, // often a failover that ends soon
	storage.ErrFewReplicas: {placements.CodeFewReplicas, OutageRetry},
	storage.ErrLoading:     {placements.CodeLoading, OutageRetry},
	storage.ErrClusterDown: {placements.CodeClusterDown, OutageRetry},
	storage.ErrDenied:      {placements.CodeDenied, operatorRetry},
}

// refusedBy is the 503 of a storage that answers and does not do what it is asked.
func refusedBy(r *storage.Refusal, err error) *placements.Error {
	to, ok := refusals[r]
	if !ok {
		return Unavailable(err)
	}
	e := placements.Errorf(to.code, "%s: nothing was changed. %s; then try again.", r.Reason, r.Remedy).Because(err)
	e.RetryAfter = to.after
	return e
}

// RetryAfter returns how long the client is to wait before it sends the request again; 0 when nothing is known.
func RetryAfter(e *placements.Error) time.Duration {
	if to := responseTo(e.Code); e.RetryAfter == 0 && to.retryable && to.status == http.StatusConflict {
		return conflictRetry
	}
	return e.RetryAfter
}

// NotFound says that an asset does not exist, or that the caller may not know whether it does.
func NotFound(noun string) *placements.Error {
	return placements.Errorf(placements.CodeNotFound,
		"No such %s here, or this token may not read it: check the id, and the roles and actions of the token.", noun)
}

// Absent says what storage means by not found: of every asset in the words of NotFound, so that nothing tells one that does not exist from
// one that may not be read.
func Absent(err error, noun string) error {
	if errors.Is(err, storage.ErrNotFound) {
		return NotFound(noun)
	}
	return err
}

// Status returns the status with which a code is answered.
func Status(code placements.Code) int { return responseTo(code).status }

// Retryable reports whether a request that is answered with a code may succeed when simply sent again.
func Retryable(code placements.Code) bool { return responseTo(code).retryable }
