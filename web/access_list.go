package web

import (
	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// maxRoles bounds a report's access list, and the actions of each entry.
const maxRoles = 200

// accessShape is the body of setAccess, which may be the report that has the list; an action that the service does not know is kept as it is
// (decisions.md §3).
var accessShape = object(append([]member{
	{name: "rolesWithAccess", required: true, shape: list(object(
		member{name: "id", shape: integer(1), required: true},
		member{name: "name", shape: text(maxName)},
		member{name: "actions", shape: list(text(maxName), maxRoles), required: true},
	), maxRoles)},
	{name: "expectedVersion", shape: integer(1)},
}, ignoredOf(reportMembers, "rolesWithAccess", "expectedVersion")...)...)

// setAccess replaces the roles that may do something with a report; it needs manage access.
func (s *Server) setAccess(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	body, err := s.decode(c, accessShape)
	if err != nil {
		return err
	}
	roles, err := into[[]storage.RoleAccess](body, "rolesWithAccess")
	if err != nil {
		return err
	}
	r, err := s.store.UpdateAccess(c.Request.Context(), current(c).deployment(), id, roles.OrZero(), current(c).Caller.user(), func(r *storage.Report) error {
		return mayChangeReport(c, r, mayManage, body)
	})
	if err != nil {
		return absent(err, "report")
	}
	return s.answerReport(c, r)
}
