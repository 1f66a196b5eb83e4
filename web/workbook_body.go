package web

import (
	"encoding/json"
	"fmt"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/bind"
)

// workbookInput is the body of create, update and upsert of a workbook. The dashboards of an answer may be sent back; the draft
// that counts is meta's.
type workbookInput struct {
	record.WorkbookInput
	draft    placements.Optional[json.RawMessage]
	expected placements.Optional[int64]
}

func (b *workbookInput) members(o *bind.Object) {
	bind.OptionalText(o, "name", &b.Name, maxName)
	bind.OptionalText(o, "slug", &b.Slug, bind.AnyLength, slugRule)
	o.OptionalWhole("folderId", &b.FolderID, 1)
	o.JSON("meta", &b.Meta, func(o *bind.Object) {
		o.Open()
		o.JSON("dashboardDraft", &b.draft, draftMembers)
	})
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored("id", "deploymentId", "type", "createdAt", "updatedAt", "createdBy", "userId", "user", "version", "updatedBy",
		"dashboardDraft", "dashboardPublished")
}

// workbookKeys are the keys that a workbook may be sent back with.
var workbookKeys = bind.Names(new(workbookInput).members)

// slugRule takes a slug in whatever case; an empty one is none.
func slugRule(sent string) (code placements.Code, message string) {
	if _, wrong := record.NormalSlug(sent); sent != "" && wrong != "" {
		return placements.CodeSlug, wrong
	}
	return "", ""
}

func (b *workbookInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if inPath := c.Param("slug"); inPath != "" {
		b.sameSlug(inPath, f)
	}
	if b.draft.Value == nil {
		return nil
	}
	draft, err := s.completeDraft(c, *b.draft.Value, "/meta/dashboardDraft", f)
	if err != nil {
		return err
	}
	meta, err := setMember(*b.Meta.Value, "dashboardDraft", draft)
	b.Meta = placements.Sent(meta)
	return err
}

// sameSlug checks the slug of the path, and that a body that has one too has the same.
func (b *workbookInput) sameSlug(inPath string, f *bind.Faults) {
	slug, wrong := record.NormalSlug(inPath)
	if wrong != "" {
		f.Add(placements.Detail{Code: placements.CodeSlug, Message: "In the path: " + wrong})
	}
	sent := b.Slug.OrZero()
	if other, bad := record.NormalSlug(sent); sent != "" && bad == "" && other != slug {
		message := fmt.Sprintf("The path says %.80s: send the same slug, or none.", inPath)
		f.Add(placements.Detail{Pointer: "/slug", Code: placements.CodeSlugFixed, Message: message})
	}
}

// dashboardInput is the body of the update-dashboard operation (interface.md, Update workbook dashboard).
type dashboardInput struct {
	draft    placements.Optional[json.RawMessage]
	expected placements.Optional[int64]
}

func (b *dashboardInput) members(o *bind.Object) {
	o.Required("dashboardDraft")
	o.JSON("dashboardDraft", &b.draft, draftMembers)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(workbookKeys...)
}

func (b *dashboardInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if b.draft.Value == nil {
		return nil
	}
	draft, err := s.completeDraft(c, *b.draft.Value, "/dashboardDraft", f)
	b.draft = placements.Sent(draft)
	return err
}

// versionInput is the body of publishing a dashboard.
type versionInput struct {
	mayBeMissing
	expected placements.Optional[int64]
}

func (b *versionInput) members(o *bind.Object) { o.OptionalWhole("expectedVersion", &b.expected, 1) }
