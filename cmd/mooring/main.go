package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	_ "time/tzdata" // deployments name time zones, and not every machine has the files

	"github.com/alecthomas/kong"

	"mooring/cmd/mooring/code"
	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/demo"
	"mooring/cmd/mooring/process"
	"mooring/refresh/source/files"
	"mooring/refresh/source/sqlite"
)

// commands is the command line (decisions.md §9).
type commands struct {
	Serve   process.ServeCommand `cmd:"" help:"Serve the HTTP interface, and run an agent too."`
	Agent   process.AgentCommand `cmd:"" help:"Run an agent only: as many as wanted, on any machine."`
	Demo    demo.Command         `cmd:"" help:"Try everything with sample data: needs nothing and keeps to one folder."`
	Key     keyCommand           `cmd:"" help:"Make and revoke access tokens."`
	Refresh refreshCommand       `cmd:"" help:"Refresh a report now and show the progress."`
	Import  importCommand        `cmd:"" help:"Record placements from a file, all or none."`
	Backup  backupCommand        `cmd:"" help:"Write a backup to a file, while servers run."`
	Restore restoreCommand       `cmd:"" help:"Restore a backup, while no server runs."`
	Check   checkCommand         `cmd:"" help:"Check the configuration and everything that it names."`
	Addin   addinCommand         `cmd:"" help:"Write what an add-in is published from."`
	Version versionCommand       `cmd:"" help:"Print the version."`

	Documents code.DocumentsCommand `cmd:"" help:"List the spreadsheets in which reports stand: where each is, and whether agents reach it."`

	Completion completionCommand `cmd:"" help:"Print the script that completes this program's words in a shell."`

	Login    code.LoginCommand    `cmd:"" group:"code" help:"Sign in to a server, so that commands need no MOORING_TOKEN."`
	Init     code.InitCommand     `cmd:"" group:"code" help:"Make a project's folder; needs no server."`
	Schema   schemaCommand        `cmd:"" group:"code" help:"Print what a file may say as JSON Schema, for editors and CI."`
	Pull     code.PullCommand     `cmd:"" group:"code" help:"Bring what the server has into a project's files."`
	Validate code.ValidateCommand `cmd:"" group:"code" help:"Check a project's files; needs no server."`
	Plan     code.PlanCommand     `cmd:"" group:"code" help:"Show what an apply would change, and change nothing."`
	Show     code.ShowCommand     `cmd:"" group:"code" help:"Show a plan again."`
	Apply    code.ApplyCommand    `cmd:"" group:"code" help:"Make the server have what a project's files say, all of it or nothing."`
	Publish  code.PublishCommand  `cmd:"" group:"code" help:"Publish the dashboards of workbooks."`
	Drift    code.DriftCommand    `cmd:"" group:"code" help:"Show what was changed on the server since the last apply."`
}

func main() {
	sqlite.RunAsChild()
	files.RunAsChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}

// run is the program: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env config.Lookup) int {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	s := &process.Invocation{Ctx: ctx, Stdin: stdin, Stdout: stdout, Stderr: stderr, Env: env, Log: log, Pages: pages()}
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("mooring"),
		kong.Description("Keeps reports true in spreadsheets."),
		kong.Writers(stdout, stderr),
		kong.ExplicitGroups([]kong.Group{{Key: "code", Title: "Reports, placements and schedules as code:"}}),
		kong.Exit(func(int) { helped = true }),
	)
	if err != nil {
		return s.Failed(err)
	}
	chosen, err := parser.Parse(spelled(args))
	if helped { // kong goes on parsing after --help
		return process.ExitDone
	}
	if err != nil {
		return s.Misused(err)
	}
	return s.Status(chosen.Run(s))
}

// spelled returns a command line as kong has it: help COMMAND is COMMAND --help, and --version a command.
func spelled(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// versionCommand prints what this binary was built from.
type versionCommand struct{}

// Run prints the version, the Go release and the platform on one line.
func (versionCommand) Run(s *process.Invocation) error {
	fmt.Fprintf(s.Stdout, "mooring %s %s %s/%s\n", process.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
