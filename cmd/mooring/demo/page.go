package demo

import (
	"context"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/refresh/host/xlsx"
)

// startDemo opens everything that cfg names, with the demo's page and its actions beside the HTTP interface.
func startDemo(s *process.Invocation, cfg *config.Config, folder sampleFolder, token string, links *links) (*process.Service, *localAgent, error) {
	files, err := xlsx.New(folder.sheets())
	if err != nil {
		return nil, nil, err
	}
	svc, err := s.StartAgent(cfg, "", "demo", nil)
	if err != nil {
		return nil, nil, err
	}
	agent := &localAgent{engine: svc.Engine}
	actions := &pageActions{
		token: token, links: links, folder: folder, files: files, agent: agent, source: &sampleSource{database: folder.database()},
	}
	if err := s.AddServer(svc, cfg, actions.handler()); err != nil {
		return nil, nil, err
	}
	return svc, agent, nil
}

// loopbackServer is the server's address as a program on this machine reaches it.
func loopbackServer(l net.Listener) string {
	address := l.Addr().String()
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return "http://" + address
}

// openPage shows the page of the demo in the user's browser, by a link of its own. Whether that works is only said.
func (d *demo) openPage(ctx context.Context) {
	program, args := browserCommand(runtime.GOOS, d.links.add(d.server))
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := exec.CommandContext(ctx, program, args...).Run(); err != nil { // #nosec G204 -- one of the system's, for an address of our own
		d.say("The browser could not be opened (%v): open the address above.", err)
	}
}

// browserCommand is the command of an operating system that opens an address.
func browserCommand(system, address string) (string, []string) {
	switch system {
	case "darwin":
		return "open", []string{address}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	return "xdg-open", []string{address}
}
