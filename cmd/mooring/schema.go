package main

import (
	"fmt"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/cmd/mooring/yaml/shape"
)

// schemaCommand prints or writes the JSON Schemas of files, which are made from the tables that check them.
type schemaCommand struct {
	Kind  string `arg:"" optional:"" default:"" enum:"project,report,placements,schedule,workbook,config," help:"The kind of file: project, report, placements, schedule, workbook, or config for a server's configuration."`
	Write bool   `help:"Write the schema, or without a kind all of them, into the folder .mooring of a project, where files that pull makes look for them."`
	Dir   string `default:"." placeholder:"DIR" help:"With --write, the project's folder; without it, this one."`
}

// Help implements kong's HelpProvider.
func (schemaCommand) Help() string {
	return "An editor that knows the YAML language server completes keys by the schema that a file's first line names: " +
		"\"# yaml-language-server: $schema=../.mooring/report.schema.json\". Files that mooring pull makes have that line."
}

// Run prints the schema of a kind, or writes schemas.
func (c *schemaCommand) Run(s *process.Invocation) error {
	schemas := allSchemas()
	if c.Kind != "" {
		schemas = map[string]shape.Schema{c.Kind: schemas[c.Kind]}
	}
	switch {
	case c.Write:
		return c.write(s, schemas)
	case c.Kind == "":
		return &process.UsageError{Message: "schema needs a kind of file, or --write: project, report, placements, schedule, workbook or config"}
	}
	text, err := ascode.EncodeSchema(schemas[c.Kind])
	fmt.Fprint(s.Stdout, text)
	return err
}

// write writes schemas into a project's folder.
func (c *schemaCommand) write(s *process.Invocation, schemas map[string]shape.Schema) error {
	files, err := ascode.WriteSchemas(c.Dir, schemas)
	for _, name := range files {
		fmt.Fprintln(s.Stdout, name)
	}
	return err
}

// allSchemas are the schemas of all kinds of files.
func allSchemas() map[string]shape.Schema {
	schemas := map[string]shape.Schema{"config": config.Schema(process.Drivers())}
	for _, kind := range ascode.SchemaKinds() {
		schemas[kind] = ascode.Schema(kind)
	}
	return schemas
}
