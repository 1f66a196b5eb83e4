package config

import (
	"io"
	"log/slog"

	"mooring/refresh/trace"
)

// Log is what the program's log, on standard error, holds and how it is written.
type Log struct {
	Level  string `yaml:"level" reload:"now"` // debug, info, warn or error
	Format string `yaml:"format"`             // text or json
}

// The formats of a log.
const (
	logText = "text"
	logJSON = "json"
)

// Traces says where to send how long the steps of requests and runs take; an empty Endpoint is nowhere.
type Traces struct {
	Endpoint string `yaml:"endpoint"`
}

// Logger returns a logger of the format that l names, which leaves out what is below least at the time.
func (l Log) Logger(w io.Writer, least slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	if l.Format == logJSON {
		return slog.New(trace.LogHandler(slog.NewJSONHandler(w, options)))
	}
	return slog.New(trace.LogHandler(slog.NewTextHandler(w, options)))
}

// Least is the level of the least important lines that the log holds.
func (l Log) Least() slog.Level {
	level, _ := l.level()
	return level
}

func (l Log) level() (level slog.Level, known bool) {
	switch l.Level {
	case "debug":
		return slog.LevelDebug, true
	case "", "info":
		return slog.LevelInfo, true
	case "warn":
		return slog.LevelWarn, true
	case "error":
		return slog.LevelError, true
	}
	return slog.LevelInfo, false
}

func (f *file) checkLog(l Log) {
	if _, known := l.level(); !known {
		f.fault(f.place("log", "level"), "log.level: expected debug, info, warn or error")
	}
	if l.Format != "" && l.Format != logText && l.Format != logJSON {
		f.fault(f.place("log", "format"), "log.format: expected %s or %s", logText, logJSON)
	}
}

func (f *file) checkTraces(t Traces) {
	if t.Endpoint == "" {
		return
	}
	if _, err := trace.ParseEndpoint(t.Endpoint); err != nil {
		f.fault(f.place("traces", "endpoint"), "traces.%v", err)
	}
}
