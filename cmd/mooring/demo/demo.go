package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/client"
)

// Command shows everything on sample data.
type Command struct {
	Dir    string `placeholder:"DIR" help:"The folder for the demo's files; without it, a fresh one under the system's temporary folder."`
	Listen string `placeholder:"ADDR" help:"The address to listen on; without it, 127.0.0.1:8080 or, if that is taken, any free port."`
	Exit   bool   `help:"End after the steps, instead of serving on."`
	Open   bool   `help:"Open the page of the demo in the browser."`
}

// Run fills the folder, serves from it, and goes through the steps over HTTP.
func (c *Command) Run(s *process.Invocation) error {
	listener, err := c.listen()
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	folder, err := c.folder(s.Ctx, listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	cfg, err := config.Load(folder.config(), s.Env, process.Drivers())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	quiet := *s
	quiet.Log = cfg.Log.Logger(s.Stderr, slog.LevelError)
	token, err := newToken(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	links := new(links)
	svc, agent, err := startDemo(&quiet, cfg, folder, token, links)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	d := &demo{Invocation: s, folder: folder, agent: agent, server: loopbackServer(listener), token: token, links: links}
	if d.api, err = client.New(d.server, token); err != nil {
		return errors.Join(err, svc.Close(), listener.Close())
	}
	return errors.Join(d.run(svc, listener, c), svc.Close())
}

// listen takes the address asked for, else the usual one, else any.
func (c *Command) listen() (net.Listener, error) {
	if c.Listen != "" {
		return net.Listen("tcp", c.Listen)
	}
	l, err := net.Listen("tcp", config.DefaultListen)
	if err != nil {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return l, nil
}

func (c *Command) folder(ctx context.Context, listen string) (sampleFolder, error) {
	dir := c.Dir
	if dir == "" {
		made, err := os.MkdirTemp("", "mooring-demo-")
		if err != nil {
			return sampleFolder{}, err
		}
		dir = made
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return sampleFolder{}, err
	}
	d := sampleFolder{dir: dir}
	return d, d.fill(ctx, listen)
}

func newToken(cfg *config.Config) (string, error) {
	keys, err := cfg.Keyring()
	if err != nil {
		return "", err
	}
	ana := record.Actor{ID: 1, Email: "ana@example.com", Name: "Ana", Actions: []string{record.ActionAll}}
	token, _, err := keys.Sign(auth.Caller{Tenant: sampleTenant, Subject: "1", Actor: ana}, time.Now(), 24*time.Hour)
	return token, err
}

// demo is a demo at work.
type demo struct {
	*process.Invocation
	folder    sampleFolder
	agent     *localAgent
	server    string // scheme, host and port
	token     string
	links     *links
	api       *client.ClientWithResponses
	report    int64  // its id
	placement string // its id
	steps     int
}

// run serves, goes through the steps, and serves on until the invocation ends.
func (d *demo) run(svc *process.Service, l net.Listener, c *Command) error {
	ctx, cancel := context.WithCancel(d.Ctx)
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- svc.Serve(ctx, l, false) }()
	d.agent.start(ctx)
	err := d.play(ctx)
	if err == nil {
		d.goOn(c.Exit)
	}
	if err == nil && c.Open && !c.Exit {
		d.openPage(ctx)
	}
	if err != nil || c.Exit {
		cancel()
	}
	return errors.Join(err, <-served, d.agent.halt())
}

// play goes through the steps; the first that fails ends it.
func (d *demo) play(ctx context.Context) error {
	d.say("Residents of the United States, censuses of 2010 and 2020: 51 rows in SQLite, a workbook beside them.")
	d.say("Everything is in %s; data is in memory and gone when this ends.", d.folder.dir)
	for _, step := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"Create the report: a query that lists the states", d.create},
		{
			"Place it at " + Sheet + "!" + sampleAnchor + " of " + Workbook + ", which has remarks, formulas and a chart already",
			d.connect,
		},
		{"Refresh: the block is empty, so everything is written", d.refresh},
		{"Refresh again: nothing changed, so nothing is written", d.refresh},
		{
			"The 2020 counts of " + strings.Join(late, ", ") + " arrive: " + fmt.Sprint(len(late)) + " rows change in the source",
			d.folder.countLate,
		},
		{"Refresh: only those rows are written", d.refresh},
		{"A person sorts the block from Z to A and types over the count of " + typedState, d.person},
		{"Refresh: the rows stand in order again, and what was typed stays in its row", d.edits},
		{"Give the cell back to the source, and refresh", d.giveBack},
		{"Disconnect: the cells stay, Mooring follows them no more", d.disconnect},
		{"Connect again and refresh: the cells are still true, so no row is written", func(ctx context.Context) error {
			return errors.Join(d.connect(ctx), d.refresh(ctx))
		}},
		{"For the console: a workbook with a cell typed over, a report that fails, a schedule that is paused", d.trouble},
	} {
		d.steps++
		d.say("\n%d. %s", d.steps, step.title)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("step %d: %w", d.steps, err)
		}
	}
	return nil
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.Stdout, format+"\n", args...) }

func (d *demo) create(ctx context.Context) (err error) {
	d.report, err = d.addReport(ctx, "Residents by state", sampleQuery)
	d.say("   POST %s -> report %d", sampleReports, d.report)
	return err
}

// addReport makes a report and returns its id.
func (d *demo) addReport(ctx context.Context, name, query string) (int64, error) {
	made, err := d.api.CreateReportWithResponse(ctx, sampleDeployment, nil, client.ReportInput{
		Name: client.Set(name), SQLQuery: client.Set(query), Source: client.Set(client.ReportInputSourceSHEETSB),
	})
	if err != nil {
		return 0, err
	}
	return made.JSON200.ID, nil
}

// path is the report's path.
func (d *demo) path() string { return fmt.Sprintf("%s/%d", sampleReports, d.report) }

func (d *demo) connect(ctx context.Context) error {
	placed, err := d.place(ctx, d.report, Workbook, Sheet+"!"+sampleAnchor)
	if err != nil {
		return err
	}
	d.placement = placed[0].ID
	d.sayPlacements(http.MethodPut, len(placed))
	return nil
}

// place records where a report is to stand, and returns its placements.
func (d *demo) place(ctx context.Context, report int64, document, location string) ([]client.Placement, error) {
	answer, err := d.api.ConnectWorkbookWithResponse(ctx, sampleDeployment, report, nil, client.Connection{
		ExternalWorkbookID: document,
		ResultLocation:     location,
		Host:               client.Set(client.ConnectionHostSHEETSB),
		AddressOnly:        client.Set(true),
	})
	if err != nil {
		return nil, err
	}
	return answer.JSON200.ExternalWorkbookPlacements, nil
}

func (d *demo) disconnect(ctx context.Context) error {
	answer, err := d.api.DisconnectWorkbookWithResponse(ctx, sampleDeployment, d.report, nil, client.Target{
		ExternalWorkbookID: client.Set(Workbook),
		ResultLocation:     client.Set(Sheet + "!" + sampleAnchor),
	})
	if err != nil {
		return err
	}
	d.sayPlacements(http.MethodDelete, len(answer.JSON200.ExternalWorkbookPlacements))
	return nil
}

func (d *demo) sayPlacements(method string, n int) {
	d.say("   %s %s/connect-workbook -> placements of the report: %d", method, d.path(), n)
}

// goOn prints what there is to look at and to paste.
func (d *demo) goOn(exit bool) {
	d.say("\nThe workbook:  %s", d.folder.workbook())
	d.say("The database:  %s", d.folder.database())
	if exit {
		return
	}
	d.say("\nThe sheet with the pane beside it. This link signs a browser in, once, here and in the console:\n\n%s", d.links.add(d.server))
	d.say("\nThe console, where a browser that has not opened the link takes the TOKEN below as its key:\n\n%s/console/", d.server)
	d.say("\nPaste these into another terminal:\n")
	d.say("TOKEN=%s", d.token)
	d.curl("connect", http.MethodPut, "/connect-workbook",
		`{"externalWorkbookId":"states.xlsx","resultLocation":"Summary!K20","host":"SHEETS_B","addressOnly":true}`)
	d.curl("refresh", http.MethodPost, "/refreshes", `{}`)
	d.curl("disconnect", http.MethodDelete, "/connect-workbook", `{"externalWorkbookId":"states.xlsx","resultLocation":"Summary!K20"}`)
	d.say("\nTwo reports, a dashboard, placements and a schedule as code are in %s:\n", d.folder.project())
	program, err := os.Executable()
	if err != nil {
		program = "mooring"
	}
	for _, command := range []string{"plan", "apply"} {
		d.say("# %s\nMOORING_SERVER=%s MOORING_TOKEN=$TOKEN '%s' %s '%s'", command, d.server, program, command, d.folder.project())
	}
	d.say("\nServing on %s until Ctrl-C.", d.server)
}

func (d *demo) curl(what, method, path, body string) {
	d.say("# %s", what)
	d.say(`curl -s -X %s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '%s' %s`,
		method, body, d.server+d.path()+path)
}
