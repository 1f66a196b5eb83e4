package main

import (
	"mooring/cmd/mooring/config"
	"mooring/refresh/host"
	"mooring/refresh/host/google"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sqlite"
)

// drivers are the kinds of sources and hosts that a configuration may name. A new one is a package and a row.
func drivers() config.Drivers {
	return config.Drivers{
		Sources: config.Kinds[source.Config]{
			{Name: "sqlite", New: func() source.Config { return new(sqlite.Config) }},
			{Name: "postgres", New: func() source.Config { return new(postgres.Config) }},
			{Name: "cube", New: func() source.Config { return new(cube.Config) }},
		},
		Hosts: config.Kinds[host.Config]{
			{Name: "xlsx", New: func() host.Config { return new(xlsx.Config) }},
			{Name: "google", New: func() host.Config { return new(google.Config) }},
			{Name: "graph", New: func() host.Config { return new(graph.Config) }},
		},
	}
}
