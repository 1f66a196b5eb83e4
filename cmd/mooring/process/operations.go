package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web"
	"mooring/web/metrics"
)

// counters are the metrics of a process.
type counters struct {
	all     *metrics.Registry
	storage *metrics.Storage
	agent   *metrics.AgentMetrics
	backlog *metrics.BacklogMetrics
}

// newCounters makes the metrics that need no storage.
func newCounters() *counters {
	all := metrics.New(Version())
	return &counters{all: all, storage: metrics.NewStorage(all)}
}

// watch adds what is counted of agents and of a storage, for what cfg names.
func (s *Invocation) watch(c *counters, cfg *config.Config, store *storage.Store) {
	var tenants []string
	var deployments []record.Deployment
	for name, t := range cfg.Tenants {
		tenants = append(tenants, name)
		for id := range t.Deployments {
			deployments = append(deployments, record.Deployment{Tenant: name, ID: id})
		}
	}
	c.agent = metrics.NewAgent(c.all, tenants)
	c.backlog = metrics.NewBacklog(c.all, store.Queue().Agents, store.Standing(), deployments, s.Log)
}

// operations answers operators at an address of their own.
type operations struct {
	server   *web.Server
	listener net.Listener
}

// partingGrace is how long after the beginning of a drain requests of operators may take, if all else has ended.
const partingGrace = 2 * time.Second

// listen listens on an address that was said at a key of the configuration, or by a flag.
func listen(key, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return l, nil
}

// addOperations lets the service answer operators at an address, which stands at that key. Without an address it does not. When it fails,
// it closes the service.
func (s *Invocation) addOperations(svc *Service, key, address string) error {
	if address == "" {
		return nil
	}
	l, err := listen(key, address)
	if err != nil {
		return errors.Join(err, svc.Close())
	}
	svc.operations = &operations{web.NewOperations(web.Config{Store: svc.store, Metrics: svc.metrics.all, Log: s.Log}), l}
	s.Log.Info("operations", "address", l.Addr().String())
	return nil
}

// serve answers operators until the function that it returns is called: health and metrics are there while all else drains.
func (o *operations) serve(ctx context.Context) (end func() error) {
	if o == nil {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- o.server.Serve(ctx, o.listener, partingGrace) }()
	return func() error {
		cancel()
		return <-ended
	}
}
