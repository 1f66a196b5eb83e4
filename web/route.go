package web

import (
	"mooring/web/metrics"
	"mooring/web/request"
)

const (
	root         = request.Root
	manifestPath = "/addin/manifest.xml"
	metricsPath  = "/metrics"
	profilesPath = metrics.ProfilesPath + "*profile"
	atDeployment = request.AtDeployment
	atReport     = request.AtReport
	hooksPath    = request.HooksPath
	atDocument   = request.AtDocument
)

// What a route needs.
const (
	open         = request.Open
	inTenant     = request.InTenant
	inDeployment = request.InDeployment
)

// handler answers a request that is for no room.
type handler func(*Server, *request.Call) error

// of is the route of a handler that stands in no room.
func (s *Server) of(method, path string, h handler, scope request.Scope) request.Route {
	return request.Route{Method: method, Path: path, Scope: scope, Operation: request.Raw(func(c *request.Call) error { return h(s, c) })}
}

// router is the operations on one kind of asset.
type router interface{ Routes() []request.Route }

// table are operations that stand in no room.
type table []request.Route

// Routes implements router.
func (t table) Routes() []request.Route { return t }
