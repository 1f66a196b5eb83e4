package request

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/storage/record"
)

// callOf is the call of a request whose answer is not read.
func callOf(r *http.Request) *Call {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	return &Call{Request: r, gin: c}
}

// slowKeeper is a first request whose answer the storage takes its time to keep.
type slowKeeper struct {
	takes time.Duration
	kept  *record.Response
}

func (k *slowKeeper) Finish(ctx context.Context, r record.Response) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(k.takes):
		k.kept = &r
		return nil
	}
}

func (k *slowKeeper) Abandon(context.Context) error { return errors.New("there is an answer to keep") }

// How long the storage may take is said by its address, and nowhere else; nor does it matter that the client is gone.
func TestAnAnswerIsKeptByASlowStorage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, leave := context.WithCancel(t.Context())
		leave()
		c := callOf(httptest.NewRequestWithContext(gone, http.MethodPost, "/", nil))
		f, k := &Frame{Log: slog.New(slog.DiscardHandler)}, &slowKeeper{takes: 5 * time.Minute}
		if err := f.answerFirst(c, k, func() error { return send(c, Deleted{7}, nil) }); err != nil {
			t.Fatal(err)
		}
		if k.kept == nil || k.kept.Status != http.StatusOK || string(k.kept.Body) != `{"id":7}` {
			t.Errorf("kept: %+v", k.kept)
		}
	})
}
