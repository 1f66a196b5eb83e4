package web

import (
	"net/http"

	"mooring/web/metrics"
	"mooring/web/request"
)

// health are the routes for the operators of the service at the address of the interface.
func (s *Server) health() []request.Route {
	return []request.Route{
		s.of("GET", "/healthz", (*Server).healthz, open),
		s.of("GET", "/readyz", (*Server).readyz, open),
		s.of("GET", metricsPath, (*Server).sharedMetricsPage, open),
	}
}

// operations are the routes for the operators of the service, at an address of their own.
func (s *Server) operations() []request.Route {
	profiles := func(_ *Server, c *request.Call) error {
		metrics.Profiles().ServeHTTP(c.Writer(), c.Request)
		return nil
	}
	return []request.Route{
		s.of("GET", "/healthz", (*Server).healthz, open),
		s.of("GET", "/readyz", (*Server).readyz, open),
		s.of("GET", metricsPath, (*Server).metricsPage, open),
		s.of("GET", profilesPath, profiles, open),
		s.of("POST", profilesPath, profiles, open), // go tool pprof asks for symbols so
	}
}

// sharedMetricsPage serves the metrics at the address of the interface, where anybody may read them: without the names of tenants.
func (s *Server) sharedMetricsPage(c *request.Call) error {
	s.metrics.SharedPage().ServeHTTP(c.Writer(), c.Request)
	return nil
}

// metricsPage serves the metrics in Prometheus' text format.
func (s *Server) metricsPage(c *request.Call) error {
	s.metrics.Page().ServeHTTP(c.Writer(), c.Request)
	return nil
}

// healthz says that the process lives.
func (s *Server) healthz(c *request.Call) error {
	c.JSON(http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz says that requests can be served: storage answers and takes writes, and the server does not drain.
func (s *Server) readyz(c *request.Call) error {
	if s.frame.Flights.Draining() {
		return request.ShuttingDown()
	}
	if err := s.store.Ready(c.Request.Context()); err != nil {
		if e := request.Classified(err); e != nil {
			return e
		}
		return request.Unavailable(err)
	}
	c.JSON(http.StatusOK, map[string]string{"status": "ready"})
	return nil
}
