package web

import (
	"context"
	"iter"

	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/request"
	"mooring/web/wire"
)

// resource is how the operations on one kind of asset name it in their paths and answer with it.
type resource[T any] struct {
	param, noun string
	answer      func(*Server, *request.Call, T) error
}

// bodyOf is a pointer to a variable that takes a body.
type bodyOf[B any] interface {
	*B
	request.Body
}

// handler answers a request of an operation that stands in no room yet.
type handler func(*Server, *request.Call) error

// noAnswer is the answer of a handler, which has sent it.
type noAnswer struct{}

// Send implements request.Answer.
func (noAnswer) Send(*request.Call) error { return nil }

// raw is the operation of a handler.
func (s *Server) raw(h handler) request.Operation {
	return request.Raw(func(c *request.Call) error { return h(s, c) })
}

// after is the operation of a handler for callers to whom may has no objection.
func (s *Server) after(may func(*auth.Caller) error, h handler) request.Operation {
	return request.If(may, func(_ context.Context, c *request.Call) (any, error) { return noAnswer{}, h(s, c) })
}

// made answers with what was created before.
func (s *Server) made(show func(*Server, *request.Call, int64) error) request.Repetition {
	return request.Made(func(_ context.Context, c *request.Call, id int64) (any, error) { return noAnswer{}, show(s, c, id) })
}

// ruled is a body that has rules beside its shape that ask the storage. What they find joins f; the error is that they could not be checked.
type ruled interface {
	rules(s *Server, c *request.Call, f *bind.Faults) error
}

// read fills in with the request's body. All faults are in one error.
func (s *Server) read(c *request.Call, in request.Body) error {
	faults, err := c.Bind(in)
	if err != nil {
		return err
	}
	if in, ok := in.(ruled); ok {
		if err := in.rules(s, c, &faults); err != nil {
			return err
		}
	}
	return request.Faulty(faults)
}

// writing makes a handler: it reads the body, calls, and answers with the asset that the call returns.
func writing[T, B any, P bodyOf[B]](of resource[T], call func(s *Server, c *request.Call, in P) (T, error)) handler {
	return func(s *Server, c *request.Call) error {
		in := P(new(B))
		if err := s.read(c, in); err != nil {
			return err
		}
		written, err := call(s, c, in)
		if err != nil {
			return request.Absent(err, of.noun)
		}
		return of.answer(s, c, written)
	}
}

// changing is writing of the asset whose id is in the path.
func changing[T, B any, P bodyOf[B]](of resource[T], call func(s *Server, c *request.Call, id int64, in P) (T, error)) handler {
	return func(s *Server, c *request.Call) error {
		id, err := c.PathID(of.param, of.noun)
		if err != nil {
			return err
		}
		return writing(of, func(s *Server, c *request.Call, in P) (T, error) { return call(s, c, id, in) })(s, c)
	}
}

// sendList answers with a page of a list as it is read.
func sendList[T any](c *request.Call, first int, items iter.Seq2[list.Item[T], error], encode func(list.Item[T]) ([]byte, error)) error {
	return request.List[T]{First: first, Items: items, Encode: encode}.Send(c)
}

// answerPage answers with a page, each item encoded by itself.
func answerPage[T any](c *request.Call, p record.Page[T], encode func(T) ([]byte, error)) error {
	page, err := request.EncodedPage(p.Items, p.HasNextPage, p.EndCursor, encode)
	if err != nil {
		return err
	}
	return page.Send(c)
}

// reports are how the operations on a report answer.
var reports = resource[wire.ReportAnswer]{"reportId", "report", (*Server).answerReport}

// answerReport answers with the wire form of r and its ETag.
func (s *Server) answerReport(c *request.Call, r wire.ReportAnswer) error { return r.Send(c) }
