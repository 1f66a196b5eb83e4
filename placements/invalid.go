package placements

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrAddressTaken is the 409 placement_address_taken of decisions.md §6: another placement of the same report stands there.
var ErrAddressTaken = errors.New("another placement of this report stands at that address: disconnect it first, or choose another cell")

// ErrIDTaken is the 409 placement_id_taken of decisions.md §6: an id names one placement of a spreadsheet.
var ErrIDTaken = errors.New("another placement of this spreadsheet has that placementId: send another one, or none")

// ErrNotPlacer: another person placed the placement that was to move or to get other options, and it takes edit access to the report to do
// that (decisions.md §3).
var ErrNotPlacer = errors.New("another person placed the report there: moving it, or changing its options, needs edit access " +
	"to the report; connect without its placementId to place it yourself")

// The codes of an InvalidError, see CodeOf.
const (
	CodeInvalidAddress = "invalid_address"
	CodeInvalid        = "invalid_request"
)

// CodeOf is the code of a body with these faults: that of the first one, by its pointer.
func CodeOf(details []Detail) string {
	return slices.MinFunc(details, func(a, b Detail) int { return strings.Compare(a.Pointer, b.Pointer) }).Code()
}

// Code is CodeInvalidAddress for a fault of the address, which is what every member but host, resultChecksum and the options says; else
// CodeInvalid.
func (d Detail) Code() string {
	if d.Pointer == hostPointer || d.Pointer == onEditPointer || strings.HasPrefix(d.Pointer, checksumPointer) {
		return CodeInvalid
	}
	return CodeInvalidAddress
}

// The members that are not of the address.
const (
	hostPointer     = "/host"
	onEditPointer   = "/onEdit"
	checksumPointer = "/resultChecksum"
)

// InvalidError is what a caller got wrong in an address or a body, all faults at once. Code is one of the codes above.
type InvalidError struct {
	Code    string
	Details []Detail
}

// Detail is one fault: the JSON pointer of the member, empty when it is a lone text, and a sentence that says what is wrong
// and what to do.
type Detail struct{ Pointer, Message string }

func (e *InvalidError) Error() string {
	messages := make([]string, len(e.Details))
	for i, d := range e.Details {
		messages[i] = d.Message
	}
	return strings.Join(messages, " ")
}

func invalid(message string) *InvalidError {
	return &InvalidError{Code: CodeInvalidAddress, Details: []Detail{{Message: message}}}
}

// sentence formats a message; texts of the caller are clipped, for they may be megabytes long.
func sentence(format string, args ...any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = clip(s)
		}
	}
	return fmt.Sprintf(format, args...)
}

// clip shortens a text to what a message can bear.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
