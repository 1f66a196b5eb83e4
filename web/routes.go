package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/web/metrics"
	"mooring/web/overview"
)

// routes is every route of the service; the OpenAPI document is checked against it.
func routes() []route {
	return []route{
		// For the operators of the service.
		{"GET", "/healthz", (*Server).healthz, open},
		{"GET", "/readyz", (*Server).readyz, open},
		{"GET", metricsPath, (*Server).sharedMetricsPage, open},

		{"GET", root + "/spec", (*Server).getSpec, open},
		{"GET", root + "/docs", (*Server).getDocs, open},
		{"GET", "/docs", (*Server).getDocsIndex, open},
		{"GET", "/docs/:page", (*Server).getDocsPage, open},
		{"GET", "/docs/assets/:file", (*Server).getDocsAsset, open},
		{"GET", manifestPath, (*Server).getManifest, open},

		{"GET", root + "/me", (*Server).getMe, inTenant},
		{"GET", root + "/session", (*Server).getSignIn, open},
		{"POST", root + "/session", (*Server).signIn, open},
		{"DELETE", root + "/session", (*Server).signOut, inTenant},
		{"POST", root + "/device/code", oauth(startPairing), open},
		{"POST", root + "/device/token", oauth(issueTokens), open},
		{"GET", atPairing, (*Server).getPairing, inTenant},
		{"POST", atPairing + "/approve", (*Server).approvePairing, inTenant},
		{"POST", atPairing + "/deny", (*Server).denyPairing, inTenant},
		{"GET", root + "/devices", (*Server).listDevices, inTenant},
		{"DELETE", root + "/devices/:deviceId", (*Server).endDevice, inTenant},

		{"POST", hooksPath + ":hookId", (*Server).receiveHook, open},

		{"GET", root + "/agents", answering((*overview.Operations).Agents), inTenant},
		{"GET", root + "/revocations", answering((*overview.Operations).Revocations), inTenant},
		{"POST", root + "/revocations", answering((*overview.Operations).Revoke), inTenant},
		{"GET", root + "/quota", answering((*overview.Operations).Quota), inTenant},

		{"GET", root + "/tenant/settings", (*Server).getSettings, inTenant},
		{"PUT", root + "/tenant/settings", (*Server).putSettings, inTenant},
		{"GET", root + "/audit", answering((*overview.Operations).Audit), inTenant},
		{"GET", atDeployment + "/audit", answering((*overview.Operations).Audit), inDeployment},

		{"GET", atDeployment + "/reports", (*Server).listReports, inDeployment},
		{"POST", atDeployment + "/reports", allowed(mayCreateReport, writing(reports, createReport)), inDeployment},
		{"GET", atDeployment + "/reports/by-public-id/:publicId", (*Server).getReportByPublicID, inDeployment},
		{"PUT", atDeployment + "/reports/by-public-id/:publicId", writing(reports, upsertReport), inDeployment},
		{"GET", atReport, (*Server).getReport, inDeployment},
		{"PUT", atReport, changing(reports, updateReport), inDeployment},
		{"DELETE", atReport, (*Server).deleteReport, inDeployment},
		{"PUT", atReport + "/access", changing(reports, setAccess), inDeployment},
		{"GET", atReport + "/versions", answering((*overview.Operations).Versions), inDeployment},
		{"GET", atReport + "/versions/:version", answering((*overview.Operations).Version), inDeployment},

		{"GET", atDeployment + "/workbooks", (*Server).listWorkbooks, inDeployment},
		{"POST", atDeployment + "/workbooks", drawing(allowed(mayCreateWorkbook, writing(workbooks, createWorkbook))), inDeployment},
		{"GET", atDeployment + "/workbooks/by-slug/:slug", drawing((*Server).getWorkbookBySlug), inDeployment},
		{"PUT", atDeployment + "/workbooks/by-slug/:slug", drawing(writing(workbooks, upsertWorkbook)), inDeployment},
		{"GET", atWorkbook, drawing((*Server).getWorkbook), inDeployment},
		{"PUT", atWorkbook, drawing(changing(workbooks, updateWorkbook)), inDeployment},
		{"DELETE", atWorkbook, (*Server).deleteWorkbook, inDeployment},
		{"PUT", atWorkbook + "/dashboard", drawing(changing(dashboards, updateDashboard)), inDeployment},
		{"POST", atWorkbook + "/publish", drawing(changing(workbooks, publishDashboard)), inDeployment},

		{"PUT", atReport + "/connect-workbook", changing(reports, connectWorkbook), inDeployment},
		{"DELETE", atReport + "/connect-workbook", changing(reports, disconnectWorkbook), inDeployment},
		{"PUT", atReport + "/refresh", changing(reports, stampRefresh), inDeployment},
		{"GET", atReport + "/placements/:placementId/edits", (*Server).listEdits, inDeployment},
		{"DELETE", atReport + "/placements/:placementId/edits", (*Server).returnEdits, inDeployment},
		{"GET", atReport + "/placements/:placementId/changes", answering((*overview.Operations).Changes), inDeployment},
		{"GET", atReport + "/placements/:placementId/changes/:runId", answering((*overview.Operations).Change), inDeployment},
		{"POST", atReport + "/result", (*Server).showResult, inDeployment},
		{"POST", atReport + "/refreshes", (*Server).startRun, inDeployment},
		{"GET", atReport + "/refreshes", (*Server).listRuns, inDeployment},
		{"GET", atReport + "/refreshes/:runId", (*Server).getRun, inDeployment},
		{"DELETE", atReport + "/refreshes/:runId", (*Server).stopRun, inDeployment},
		{"GET", atDeployment + "/refreshes", answering((*overview.Operations).Runs), inDeployment},
		{"POST", atDeployment + "/bulk/refreshes", (*Server).bulkRuns, inDeployment},
		{"POST", atDeployment + "/bulk/refresh-schedules", (*Server).bulkSchedules, inDeployment},
		{"GET", atDeployment + "/stats", answering((*overview.Operations).Stats), inDeployment},
		{"GET", atDeployment + "/causes", answering((*overview.Operations).Causes), inDeployment},
		{"GET", atDeployment + "/placements", answering((*overview.Operations).Placements), inDeployment},
		{"GET", atDeployment + "/documents", answering((*overview.Operations).Documents), inDeployment},
		{"GET", atRun, (*Server).getRun, inDeployment},
		{"DELETE", atRun, (*Server).stopRun, inDeployment},
		{"PUT", atRun + "/lease", (*Server).renewLease, inDeployment},
		{"POST", atRun + "/plan", (*Server).planRun, inDeployment},
		{"POST", atRun + "/complete", (*Server).completeRun, inDeployment},
		{"GET", atDeployment + "/refresh-schedules", (*Server).listSchedules, inDeployment},
		{"POST", atDeployment + "/refresh-schedules", (*Server).createSchedule, inDeployment},
		{"GET", atDeployment + "/refresh-schedules/by-key/:key", (*Server).getScheduleByKey, inDeployment},
		{"PUT", atDeployment + "/refresh-schedules/by-key/:key", (*Server).upsertSchedule, inDeployment},
		{"GET", atSchedule, (*Server).getSchedule, inDeployment},
		{"PUT", atSchedule, (*Server).updateSchedule, inDeployment},
		{"DELETE", atSchedule, (*Server).deleteSchedule, inDeployment},
		{"POST", atSchedule + "/pause", (*Server).pauseSchedule, inDeployment},
		{"POST", atSchedule + "/resume", (*Server).resumeSchedule, inDeployment},
		{"POST", atSchedule + "/run", (*Server).runSchedule, inDeployment},
		{"GET", atSchedule + "/runs", (*Server).listScheduleRuns, inDeployment},
		{"POST", atDeployment + "/plans", (*Server).createPlan, inDeployment},
		{"GET", atDeployment + "/plans/:planId", (*Server).getPlan, inDeployment},
		{"POST", atDeployment + "/plans/:planId/apply", (*Server).applyPlan, inDeployment},
		{"GET", atDeployment + "/managed", (*Server).listManaged, inDeployment},
		{"GET", atDeployment + "/events", (*Server).streamEvents, inDeployment},
		{"POST", atDocument + "/refreshes", (*Server).startDocumentRuns, inTenant},
		{"GET", atDocument + "/placements", (*Server).listDocumentPlacements, inTenant},
		{"GET", atDocument, (*Server).getDocumentLink, inTenant},
		{"POST", atDocument + "/link", (*Server).linkDocument, inTenant},
		{"DELETE", atDocument + "/link", (*Server).unlinkDocument, inTenant},
	}
}

// pages is the routes of the faces, which are no operations of the interface.
func (s *Server) pages() (list []route) {
	list = []route{
		{"GET", "/", (*Server).getRoot, open},
		{"GET", signInPath, (*Server).sendToProvider, open},
		{"GET", callbackPath, (*Server).returnFromProvider, open},
	}
	names := []string{"addin", "console"}
	if s.demo != nil {
		names = append(names, "demo")
		act := func(s *Server, c *gin.Context) error {
			s.demo.ServeHTTP(c.Writer, c.Request)
			return nil
		}
		list = append(list, route{"GET", "/demo/actions/*action", act, open}, route{"POST", "/demo/actions/*action", act, open})
	}
	for _, name := range names {
		list = append(list, route{"GET", "/" + name, leadTo(name + "/"), open})
		for _, path := range []string{"/", "/:tree", "/:tree/*file"} {
			list = append(list, route{"GET", "/" + name + path, (*Server).getFace, open})
		}
	}
	list = append(list, route{"GET", "/docs/", leadTo("../docs"), open})
	return list
}

// operations are the routes for the operators of the service, at an address of their own.
func operations() []route {
	profiles := func(_ *Server, c *gin.Context) error {
		metrics.Profiles().ServeHTTP(c.Writer, c.Request)
		return nil
	}
	return []route{
		{"GET", "/healthz", (*Server).healthz, open},
		{"GET", "/readyz", (*Server).readyz, open},
		{"GET", metricsPath, (*Server).metricsPage, open},
		{"GET", profilesPath, profiles, open},
		{"POST", profilesPath, profiles, open}, // go tool pprof asks for symbols so
	}
}

// newRouter puts the table into gin. Paths are matched as sent, so that an id may hold an escaped slash.
func (s *Server) newRouter(table []route) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.RemoteIPHeaders = []string{"X-Forwarded-For"}
	_ = router.SetTrustedProxies(s.proxies) // the configuration has checked them
	router.HandleMethodNotAllowed = true
	router.RedirectTrailingSlash = false
	router.UseRawPath = true
	router.UnescapePathValues = true
	router.Use(s.begin, s.cors, s.refuse)
	for _, r := range table {
		router.Handle(r.method, r.path, s.adapt(r))
		if r.method == http.MethodGet {
			router.Handle(http.MethodHead, r.path, s.adapt(r)) // net/http sends no body
		}
	}
	router.NoRoute(s.answer(func(*gin.Context) error { return nothingHere() }))
	router.NoMethod(s.answer(func(*gin.Context) error {
		return placements.Errorf(placements.CodeMethod, "This path does not take that method; see the Allow header.")
	}))
	return router
}

// adapt makes a gin handler of a route: token, deployment, handler, and the answer to an error of any of them.
func (s *Server) adapt(r route) gin.HandlerFunc {
	return s.answer(func(c *gin.Context) error {
		if r.scope == open {
			return r.handler(s, c)
		}
		if err := s.identify(c); err != nil {
			return err
		}
		if err := s.limitRate(c); err != nil {
			return err
		}
		if err := s.checkURL(c, r); err != nil {
			return err
		}
		if err := s.enter(c, r.scope); err != nil {
			return err
		}
		defer current(c).releaseHeld()
		return s.guarded(c, r.scope, func(c *gin.Context) error { return s.call(c, r) })
	})
}

// identify is authenticate as a step of the request's trace.
func (s *Server) identify(c *gin.Context) error {
	defer timed(c, "authenticate")()
	return s.authenticate(c)
}

// call is once as a step of the request's trace.
func (s *Server) call(c *gin.Context, r route) error {
	defer timed(c, "call")()
	return s.once(c, r)
}

// answer renders the error of a handler.
func (s *Server) answer(handler func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		err := handler(c)
		if err == nil {
			return
		}
		r := current(c)
		r.err, r.gone = err, errors.Is(err, context.Canceled) && c.Request.Context().Err() != nil
		if !c.Writer.Written() {
			writeError(c, asError(err))
		}
	}
}

// sharedMetricsPage serves the metrics at the address of the interface, where anybody may read them: without the names of tenants.
func (s *Server) sharedMetricsPage(c *gin.Context) error {
	s.metrics.SharedPage().ServeHTTP(c.Writer, c.Request)
	return nil
}

// metricsPage serves the metrics in Prometheus' text format.
func (s *Server) metricsPage(c *gin.Context) error {
	s.metrics.Page().ServeHTTP(c.Writer, c.Request)
	return nil
}

// healthz says that the process lives.
func (s *Server) healthz(c *gin.Context) error {
	c.JSON(http.StatusOK, gin.H{"status": "ok"})
	return nil
}

// readyz says that requests can be served: storage answers and takes writes, and the server does not drain.
func (s *Server) readyz(c *gin.Context) error {
	if s.flights.draining() {
		return shuttingDown()
	}
	if err := s.store.Ready(c.Request.Context()); err != nil {
		if e := classified(err); e != nil {
			return e
		}
		return unavailable(err)
	}
	c.JSON(http.StatusOK, gin.H{"status": "ready"})
	return nil
}

// begin is the outermost middleware: it names the request, and the trace that it is part of, turns a panic into a 500, and logs and counts
// the answer.
func (s *Server) begin(c *gin.Context) {
	r := &request{ID: c.GetHeader("X-Request-Id"), started: time.Now()}
	if r.ID == "" || !sentRequestID.MatchString(r.ID) {
		r.ID = rand.Text()
	}
	c.Set(requestKey, r)
	c.Header("X-Request-Id", r.ID)
	if strings.HasPrefix(c.Request.URL.Path, interfacePath) {
		keepToCaller(c)
	}
	if !probing(c) {
		s.flights.begin()
		defer func() {
			if !r.streams {
				s.flights.end()
			}
		}()
		s.beginTrace(c, r)
	}
	defer s.finish(c, r)
	defer s.recoverPanic(c, r)
	c.Next()
}

// checkURL refuses what path and query cannot mean: bytes that are not UTF-8 and, of a strict request, parameters that the route does not
// know.
func (s *Server) checkURL(c *gin.Context, r route) error {
	url := c.Request.URL
	if !utf8.ValidString(url.Path) {
		return placements.Errorf(placements.CodeMalformed, "The path holds bytes that are not UTF-8: percent-encode it from UTF-8.")
	}
	exact := strict(c)
	if url.RawQuery == "" {
		return nil
	}
	sent, err := neturl.ParseQuery(url.RawQuery)
	if err != nil {
		return placements.Errorf(placements.CodeParameter,
			"The query is not percent-encoded: write a percent sign as %%25 and a semicolon as %%3B.").Because(err)
	}
	for name, values := range sent {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(values, "")) {
			return placements.Errorf(placements.CodeMalformed, "The query holds bytes that are not UTF-8: percent-encode it from UTF-8.")
		}
		if known := s.parameters[r.method+" "+r.path]; exact && !slices.Contains(known, name) {
			return placements.Errorf(placements.CodeUnknownQuery,
				"%.80q is not a parameter of this operation, which takes %s: correct its name, or leave it out.",
				name, cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	return nil
}

// refuse answers requests that come while the server drains.
func (s *Server) refuse(c *gin.Context) {
	if !s.flights.draining() || probing(c) {
		return
	}
	c.Header("Connection", "close")
	current(c).refused = true
	writeError(c, shuttingDown())
	c.Abort()
}
