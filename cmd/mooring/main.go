package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // deployments name time zones, and not every machine has the files

	"github.com/alecthomas/kong"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/config"
	"mooring/refresh/source/sqlite"
	"mooring/storage"
)

// The exit statuses (decisions.md §9, faces.md §5).
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitChanges  = 2 // with --detailed-exitcode
	exitDenied   = 3 // not signed in, or not allowed
	exitConflict = 4 // a conflict, or a plan that is stale or expired
)

// commands is the command line (decisions.md §9).
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve the HTTP interface, and run an agent too."`
	Agent   agentCommand   `cmd:"" help:"Run an agent only: as many as wanted, on any machine."`
	Demo    demoCommand    `cmd:"" help:"Try everything with sample data: needs nothing and keeps to one folder."`
	Key     keyCommand     `cmd:"" help:"Make and revoke access tokens."`
	Refresh refreshCommand `cmd:"" help:"Refresh a report now and show the progress."`
	Import  importCommand  `cmd:"" help:"Record placements from a file, all or none."`
	Backup  backupCommand  `cmd:"" help:"Write a backup to a file, while servers run."`
	Restore restoreCommand `cmd:"" help:"Restore a backup, while no server runs."`
	Check   checkCommand   `cmd:"" help:"Check the configuration and everything that it names."`
	Addin   addinCommand   `cmd:"" help:"Write what an add-in is published from."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Documents documentsCommand `cmd:"" help:"List the spreadsheets in which reports stand: where each is, and whether agents reach it."`

	Completion completionCommand `cmd:"" help:"Print the script that completes this program's words in a shell."`

	Login    loginCommand    `cmd:"" group:"code" help:"Sign in to a server, so that commands need no MOORING_TOKEN."`
	Pull     pullCommand     `cmd:"" group:"code" help:"Bring what the server has into a project's files."`
	Validate validateCommand `cmd:"" group:"code" help:"Check a project's files; needs no server."`
	Plan     planCommand     `cmd:"" group:"code" help:"Show what an apply would change, and change nothing."`
	Show     showCommand     `cmd:"" group:"code" help:"Show a plan again."`
	Apply    applyCommand    `cmd:"" group:"code" help:"Make the server have what a project's files say, all of it or nothing."`
	Publish  publishCommand  `cmd:"" group:"code" help:"Publish the dashboards of workbooks."`
	Drift    driftCommand    `cmd:"" group:"code" help:"Show what was changed on the server since the last apply."`
}

// session is what a command works with. A command that lasts ends when ctx does.
type session struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    config.Lookup
	log    *slog.Logger
	level  *slog.LevelVar // of log; nil before a configuration was read
}

// usageError is a command line that parses and still makes no sense.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func main() {
	sqlite.RunAsChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}

// run is the program: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env config.Lookup) int {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	s := &session{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, env: env, log: log}
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("mooring"),
		kong.Description("Keeps reports true in spreadsheets."),
		kong.Writers(stdout, stderr),
		kong.ExplicitGroups([]kong.Group{{Key: "code", Title: "Reports, placements and schedules as code:"}}),
		kong.Exit(func(int) { helped = true }),
	)
	if err != nil {
		return s.failed(err)
	}
	chosen, err := parser.Parse(spelled(args))
	if helped { // kong goes on parsing after --help
		return exitDone
	}
	if err != nil {
		return s.misused(err)
	}
	return s.status(chosen.Run(s))
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

// exitError ends a command with another status than exitFailed. Without an error there is nothing more to say than the command did.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }

func (e *exitError) Unwrap() error { return e.err }

// status turns what a command returned into an exit status.
func (s *session) status(err error) int {
	var usage *usageError
	var ended *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return s.misused(err)
	case errors.As(err, &ended) && ended.err == nil:
		return ended.status
	case errors.As(err, &ended):
		s.failed(ended.err)
		return ended.status
	}
	return s.failed(err)
}

// failed says why a command failed. Faults of files begin with their place, as editors and compilers write it.
func (s *session) failed(err error) int {
	before := "mooring: "
	if errors.As(err, new(ascode.Faults)) {
		before = ""
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(s.stderr, before+ascode.Line(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")))
	}
	return exitFailed
}

func (s *session) misused(err error) int {
	fmt.Fprintf(s.stderr, "mooring: %s; see mooring --help\n", ascode.Line(err.Error()))
	return exitUsage
}

// configFlag names the configuration file.
type configFlag struct {
	Config string `placeholder:"FILE" env:"MOORING_CONFIG" help:"The configuration file; without it, mooring.yaml in this folder."`
}

// defaultConfig is the configuration file of a command line that names none.
const defaultConfig = "mooring.yaml"

// file returns the name of the configuration file.
func (f configFlag) file() (string, error) {
	if f.Config != "" {
		return f.Config, nil
	}
	if _, err := os.Stat(defaultConfig); errors.Is(err, fs.ErrNotExist) {
		return "", &usageError{defaultConfig + " is not in this folder: name the configuration file with --config or MOORING_CONFIG"}
	}
	return defaultConfig, nil
}

// redisFlag overrides the file's redis.
type redisFlag struct {
	Redis string `placeholder:"URL" env:"MOORING_REDIS" help:"Where the data lives, instead of the file's redis: embedded, redis://…, rediss://…, a comma list of cluster nodes, redis+sentinel://…"`
}

// load reads the configuration file. The session logs as it says from then on.
func (s *session) load(f configFlag, r redisFlag) (*config.Config, error) {
	name, err := f.file()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(name, s.env, drivers())
	if err != nil {
		return nil, err
	}
	if r.Redis != "" {
		if err := storage.CheckAddress(r.Redis); err != nil {
			return nil, fmt.Errorf("--redis, or MOORING_REDIS: %w", err)
		}
		cfg.Redis = r.Redis
	}
	s.level = new(slog.LevelVar)
	s.level.Set(cfg.Log.Least())
	s.log = cfg.Log.Logger(s.stderr, s.level)
	return cfg, nil
}

// loadShared is load for a command that works beside a server: it needs a store that both reach.
func (s *session) loadShared(f configFlag, r redisFlag, command string) (*config.Config, error) {
	cfg, err := s.load(f, r)
	if err == nil && cfg.Embedded() {
		return nil, fmt.Errorf("%s needs a Redis that the server uses too: embedded storage lives inside one mooring serve", command)
	}
	return cfg, err
}

// versionCommand prints what this binary was built from.
type versionCommand struct{}

// Run prints the version, the Go release and the platform on one line.
func (versionCommand) Run(s *session) error {
	fmt.Fprintf(s.stdout, "mooring %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// release is the version that scripts/package builds: the linker sets it. A build from a checkout has none.
var release string

// version is the release, else the module's version, or the commit of a build from a checkout.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return "devel"
}
