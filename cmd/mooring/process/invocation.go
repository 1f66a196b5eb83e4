package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/config"
	"mooring/storage"
	"mooring/web/docs"
)

// The exit statuses (decisions.md §9, faces.md §5).
const (
	ExitDone     = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitChanges  = 2 // with --detailed-exitcode
	ExitDenied   = 3 // not signed in, or not allowed
	ExitConflict = 4 // a conflict, or a plan that is stale or expired
)

// Invocation is what a command works with. A command that lasts ends when Ctx does.
type Invocation struct {
	Ctx    context.Context
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    config.Lookup
	Log    *slog.Logger
	level  *slog.LevelVar // of Log; nil before a configuration was read
	Pages  []docs.Page    // of /docs, of the program itself
}

// UsageError is a command line that parses and still makes no sense.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// ExitError ends a command with another status than ExitFailed. Without an error there is nothing more to say than the command did.
type ExitError struct {
	Status int
	Err    error
}

func (e *ExitError) Error() string { return fmt.Sprint(e.Err) }

func (e *ExitError) Unwrap() error { return e.Err }

// Status turns what a command returned into an exit status.
func (s *Invocation) Status(err error) int {
	var usage *UsageError
	var ended *ExitError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &usage):
		return s.Misused(err)
	case errors.As(err, &ended) && ended.Err == nil:
		return ended.Status
	case errors.As(err, &ended):
		s.Failed(ended.Err)
		return ended.Status
	}
	return s.Failed(err)
}

// Failed says why a command failed. Faults of files begin with their place, as editors and compilers write it.
func (s *Invocation) Failed(err error) int {
	before := "mooring: "
	if errors.As(err, new(ascode.Faults)) {
		before = ""
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(s.Stderr, before+ascode.Line(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")))
	}
	return ExitFailed
}

// Misused says what is wrong with a command line.
func (s *Invocation) Misused(err error) int {
	fmt.Fprintf(s.Stderr, "mooring: %s; see mooring --help\n", ascode.Line(err.Error()))
	return ExitUsage
}

// ConfigFlag names the configuration file.
type ConfigFlag struct {
	Config string `placeholder:"FILE" env:"MOORING_CONFIG" help:"The configuration file; without it, mooring.yaml in this folder."`
}

// defaultConfig is the configuration file of a command line that names none.
const defaultConfig = "mooring.yaml"

// file returns the name of the configuration file.
func (f ConfigFlag) file() (string, error) {
	if f.Config != "" {
		return f.Config, nil
	}
	if _, err := os.Stat(defaultConfig); errors.Is(err, fs.ErrNotExist) {
		return "", &UsageError{defaultConfig + " is not in this folder: name the configuration file with --config or MOORING_CONFIG"}
	}
	return defaultConfig, nil
}

// RedisFlag overrides the file's redis.
type RedisFlag struct {
	Redis string `placeholder:"URL" env:"MOORING_REDIS" help:"Where the data lives, instead of the file's redis: embedded, redis://…, rediss://…, a comma list of cluster nodes, redis+sentinel://…"`
}

// Load reads the configuration file. The invocation logs as it says from then on.
func (s *Invocation) Load(f ConfigFlag, r RedisFlag) (*config.Config, error) {
	name, err := f.file()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(name, s.Env, Drivers())
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
	s.Log = cfg.Log.Logger(s.Stderr, s.level)
	return cfg, nil
}

// LoadShared is Load for a command that works beside a server: it needs a store that both reach.
func (s *Invocation) LoadShared(f ConfigFlag, r RedisFlag, command string) (*config.Config, error) {
	cfg, err := s.Load(f, r)
	if err == nil && cfg.Embedded() {
		return nil, fmt.Errorf("%s needs a Redis that the server uses too: embedded storage lives inside one mooring serve", command)
	}
	return cfg, err
}

// release is the version that scripts/package builds: the linker sets it. A build from a checkout has none.
var release string

// Version is the release, else the module's version, or the commit of a build from a checkout.
func Version() string {
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
