package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand prints what this binary was built from.
type versionCommand struct{}

// Run prints the version, the Go release and the platform on one line.
func (versionCommand) Run(s *session) error {
	fmt.Fprintf(s.stdout, "mooring %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// version is the module's version, or the commit of a build from a checkout.
func version() string {
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
