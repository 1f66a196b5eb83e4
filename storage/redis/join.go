package redis

import (
	"errors"
	"fmt"
)

// Join is errors.Join for the parts of one question, such as those to several partitions: outages are one error, with how many parts
// failed because of them, and of several causes the first that names a Refusal, else the first.
func Join(errs ...error) error {
	var out outages
	var others []error
	for _, err := range errs {
		switch {
		case err == nil:
		case !errors.Is(err, ErrUnavailable):
			others = append(others, err)
		default:
			out.add(err)
		}
	}
	if out.first != nil {
		others = append(others, out)
	}
	if len(others) == 1 {
		return others[0]
	}
	return errors.Join(others...)
}

// outages are the parts of a question that an unavailable storage did not answer.
type outages struct {
	first error
	parts int
}

func (o *outages) add(err error) {
	parts, before := 1, o.first
	if more, ok := errors.AsType[outages](err); ok {
		parts, err = more.parts, more.first
	}
	o.parts += parts
	_, refused := errors.AsType[*Refusal](err)
	_, known := errors.AsType[*Refusal](before)
	if before == nil || refused && !known {
		o.first = err
	}
}

func (o outages) Error() string {
	if o.parts == 1 {
		return o.first.Error()
	}
	return fmt.Sprintf("%v (%d failed because of it)", o.first, o.parts)
}

func (o outages) Unwrap() error { return o.first }
