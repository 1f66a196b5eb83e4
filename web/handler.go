package web

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/overview"
)

// resource is how the operations on one kind of asset name it in their paths and answer with it.
type resource[T any] struct {
	param, noun string
	answer      func(*Server, *gin.Context, T) error
}

// bodyOf is a pointer to a variable that takes a body.
type bodyOf[B any] interface {
	*B
	body
}

// writing makes a handler: it reads the body, calls, and answers with the asset that the call returns.
func writing[T, B any, P bodyOf[B]](of resource[T], call func(s *Server, c *gin.Context, in P) (T, error)) handler {
	return func(s *Server, c *gin.Context) error {
		in := P(new(B))
		if err := s.read(c, in); err != nil {
			return err
		}
		written, err := call(s, c, in)
		if err != nil {
			return absent(err, of.noun)
		}
		return of.answer(s, c, written)
	}
}

// changing is writing of the asset whose id is in the path.
func changing[T, B any, P bodyOf[B]](of resource[T], call func(s *Server, c *gin.Context, id int64, in P) (T, error)) handler {
	return func(s *Server, c *gin.Context) error {
		id, err := pathID(c, of.param, of.noun)
		if err != nil {
			return err
		}
		return writing(of, func(s *Server, c *gin.Context, in P) (T, error) { return call(s, c, id, in) })(s, c)
	}
}

// allowed asks check before the handler reads anything.
func allowed(check func(*auth.Caller) error, next handler) handler {
	return func(s *Server, c *gin.Context) error {
		if err := check(current(c).Caller); err != nil {
			return err
		}
		return next(s, c)
	}
}

// answering makes a handler of an operation on a whole deployment or account.
func answering(operation func(*overview.Operations, context.Context, overview.Call) (any, error)) handler {
	return func(s *Server, c *gin.Context) error {
		call := overview.Call{
			Caller: current(c).Caller, At: current(c).deployment(), Query: c.Request.URL.Query(), Param: c.Param,
			Body: func(members func(*bind.Object)) error { return s.read(c, memberBody(members)) },
		}
		out, err := operation(&s.rules.Load().overview, c.Request.Context(), call)
		if err != nil {
			return err
		}
		c.JSON(http.StatusOK, out)
		return nil
	}
}

// memberBody is a body that an operation reads.
type memberBody func(*bind.Object)

func (b memberBody) members(o *bind.Object) { b(o) }
