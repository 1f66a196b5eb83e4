package web

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/overview"
)

// linkInput is what an add-in says of the spreadsheet that it has open.
type linkInput struct {
	name, nonce, url string
	again            bool
}

// How long what an add-in says may be.
const (
	maxFileName = 255
	maxNonce    = 64
	maxAddress  = 4096
)

func (b *linkInput) members(o *bind.Object) {
	o.Required("name")
	bind.Text(o, "name", &b.name, maxFileName)
	nonceMember(o, &b.nonce)
	bind.Text(o, "url", &b.url, maxAddress)
	o.Flag("again", &b.again)
}

// rules wants the nonce of a spreadsheet that has one.
func (b *linkInput) rules(_ *Server, c *gin.Context, f *bind.Faults) error {
	if b.nonce == "" && placements.AddinID(c.Param("externalWorkbookId")) {
		f.Join(placements.Detail{
			Pointer: "/nonce", Code: placements.CodeInvalid,
			Message: "is required for a spreadsheet whose id is a UUID: send what stands beside the id in the file",
		})
	}
	return nil
}

// nonceMember names the nonce of a spreadsheet, in a connect as in a link.
func nonceMember(o *bind.Object, into *string) { bind.Text(o, "nonce", into, maxNonce, nonceRule) }

// aNonce is the form of one.
var aNonce = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

func nonceRule(sent string) (placements.Code, string) {
	if !aNonce.MatchString(sent) {
		return placements.CodeInvalid, "must be 16 to 64 letters, digits, - and _"
	}
	return "", ""
}

// getDocumentLink answers with what is known of where a spreadsheet is.
func (s *Server) getDocumentLink(c *gin.Context) error {
	return s.ofDocument(c, http.StatusOK, func(ctx context.Context, caller *auth.Caller, document string, _ *placedLevels) (refresh.LinkView, error) {
		return s.engine.DocumentLink(ctx, caller.Tenant, document)
	})
}

// linkDocument has the file looked for that an add-in has open.
func (s *Server) linkDocument(c *gin.Context) error {
	return s.ofDocument(c, http.StatusAccepted, func(ctx context.Context, caller *auth.Caller, document string, on *placedLevels) (v refresh.LinkView, err error) {
		var in linkInput
		if err := s.read(c, &in); err != nil {
			return v, err
		}
		return s.engine.AskLink(ctx, caller.Tenant, document, refresh.LinkAsk{
			By: caller.Actor, MayEdit: on.least >= mayEdit, MayLink: on.mayLink(), Nonce: in.nonce, Name: in.name, URL: in.url, Again: in.again,
		})
	})
}

// unlinkDocument has agents leave out a spreadsheet until it is asked for again.
func (s *Server) unlinkDocument(c *gin.Context) error {
	return s.ofDocument(c, http.StatusOK, func(ctx context.Context, caller *auth.Caller, document string, on *placedLevels) (v refresh.LinkView, err error) {
		if on.least < mayEdit {
			return v, placements.Errorf(placements.CodeForbidden,
				"Unlinking the spreadsheet needs edit access to every report that is placed there: ask for that, or ask who has it.")
		}
		return s.engine.Unlink(ctx, caller.Tenant, document, caller.Actor)
	})
}

// ofDocument answers with what is known of where the path's spreadsheet is, as the caller may know it. Where they may read no report that is
// placed there, it is not found.
func (s *Server) ofDocument(
	c *gin.Context, status int, know func(ctx context.Context, caller *auth.Caller, document string, on *placedLevels) (refresh.LinkView, error),
) error {
	ctx, caller, document := c.Request.Context(), current(c).Caller, c.Param("externalWorkbookId")
	on, err := s.levelsIn(ctx, caller, document)
	if err != nil {
		return err
	}
	view, err := know(ctx, caller, document, on)
	if err != nil {
		return err
	}
	view.Merged = slices.DeleteFunc(slices.Clone(view.Merged), func(m record.MergedPlacement) bool {
		return !on.readable[placedName{m.DeploymentID, m.ReportID}]
	})
	c.JSON(status, view)
	return nil
}

// keepNonce keeps the nonce with which a connect names its spreadsheet, if none is known yet, of a user who may link it. The placement stands by
// then, so that a failure is logged only: the next connect or link brings the nonce again.
func (s *Server) keepNonce(c *gin.Context, of placements.Connection) {
	if of.Nonce == "" || !placements.AddinID(of.ExternalWorkbookID) {
		return
	}
	ctx, r, document := c.Request.Context(), current(c), of.ExternalWorkbookID
	known, err := s.store.Links().Of(ctx, r.Caller.Tenant, placements.LinkID(document))
	if err == nil && (known == nil || known.Nonce == "") {
		var on *placedLevels
		if on, err = s.levelsIn(ctx, r.Caller, document); err == nil && on.mayLink() {
			err = s.store.Links().KeepNonce(ctx, r.Caller.Tenant, document, refresh.NonceHash(of.Nonce))
		}
	}
	if err != nil {
		s.log.Warn("nonce of a document not kept", "request", r.ID, "document", document, "error", err)
	}
}

// placedName names a report of an account.
type placedName struct{ deployment, report int64 }

// placedLevels are what a caller may do with the reports that are placed in a spreadsheet.
type placedLevels struct {
	least    level // mayNothing where one is out of their reach
	readable map[placedName]bool
	others   bool // a placement is refreshed on another's behalf
}

// mayLink reports whether the caller may have agents write the rows of every report placed there into a file that they have.
func (l *placedLevels) mayLink() bool { return l.least >= mayEdit || !l.others }

// add takes a placement into account, with what the caller may do with its report.
func (l *placedLevels) add(d *record.DocumentPlacement, have level, caller int64) {
	l.least = min(l.least, have)
	if have >= mayRead {
		l.readable[placedName{d.DeploymentID, d.ReportID}] = true
	}
	l.others = l.others || caller == 0 || d.Placement.Behalf().UID != caller
}

// levelsIn returns what the caller may do with the reports that are placed in a spreadsheet, of which they may read one at least.
func (s *Server) levelsIn(ctx context.Context, caller *auth.Caller, document string) (*placedLevels, error) {
	on := placedLevels{least: mayManage, readable: map[placedName]bool{}}
	for after := ""; ; {
		p, err := s.store.Placements().InDocument(ctx, caller.Tenant, document, after, overview.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			have := mayNothing
			if caller.InDeployment(d.DeploymentID) {
				have = caller.Level(d.Definition)
			}
			on.add(&d, have, caller.ID)
		}
		if after = p.EndCursor; !p.HasNextPage {
			break
		}
	}
	if len(on.readable) == 0 {
		return nil, notFound("spreadsheet")
	}
	return &on, nil
}
