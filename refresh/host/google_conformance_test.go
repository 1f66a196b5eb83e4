package host_test

import (
	"testing"

	"mooring/refresh/host/hosttest"
)

func TestGoogleConforms(t *testing.T) {
	hosttest.Run(t, func(t *testing.T) hosttest.Book {
		r := newGoogleRig(t)
		return hosttest.Book{
			Host: r.host, Document: googleDoc, Sheet: "Data", Other: "Other", Editor: r.bookEditor, State: r.state,
			Deny: func(testing.TB) { r.Deny(googleDoc) }, Unconditional: true,
		}
	})
}
