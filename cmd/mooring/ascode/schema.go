package ascode

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"

	"mooring/cmd/mooring/yaml/shape"
	"mooring/storage/record/portable"
)

// SchemaDirectory is where a project's folder has the JSON Schemas of its files. Its name is hidden: nothing in it is read.
const SchemaDirectory = ".mooring"

// SchemaFile returns the name of the file with the schema of a kind of files.
func SchemaFile(kind string) string { return kind + ".schema.json" }

// SchemaKinds are the kinds of files that a folder has: project.yaml, and those of the directories.
func SchemaKinds() []string {
	all := []string{"project"}
	for _, k := range kinds() {
		all = append(all, schemaKind(k.name))
	}
	return all
}

// Schema returns the JSON Schema of a kind of files, one of SchemaKinds.
func Schema(kind string) shape.Schema {
	about := schemaTexts[kind]
	d := shape.Dialect{About: about.keys}
	if kind == "project" {
		d.Variable = `\$\{` // stands for what the environment of the process has
	}
	schema := shapeOf(schemaAsset(kind)).Schema(d)
	schema["$schema"], schema["title"], schema["description"] = shape.Draft, about.title, about.description
	return schema
}

// schemaAsset is the kind of the assets in a kind of files; empty for project.yaml.
func schemaAsset(kind string) portable.AssetKind {
	switch kind {
	case "project":
		return ""
	case "placements":
		return portable.KindPlacement
	}
	return portable.AssetKind(kind)
}

// schemaKind is the kind of the files with assets of a kind.
func schemaKind(kind portable.AssetKind) string {
	if kind == portable.KindPlacement {
		return "placements"
	}
	return string(kind)
}

// EncodeSchema returns a schema as its file has it.
func EncodeSchema(schema shape.Schema) (string, error) {
	text, err := json.MarshalIndent(schema, "", "  ")
	return string(text) + "\n", err
}

// WriteSchemas writes schemas, by the kinds of files that they are of, into the folder of a project, and returns the names of their files.
func WriteSchemas(dir string, schemas map[string]shape.Schema) (files []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if _, err := root.Stat(projectFile); err != nil {
		return nil, fmt.Errorf("%s is not in %s: name a project's folder, or make one with mooring init", projectFile, dir)
	}
	if err := root.MkdirAll(SchemaDirectory, 0o755); err != nil {
		return nil, err
	}
	for _, kind := range names(schemas) {
		name := path.Join(SchemaDirectory, SchemaFile(kind))
		text, err := EncodeSchema(schemas[kind])
		if err == nil {
			err = replace(root, name, text)
		}
		if err != nil {
			return files, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, name)
	}
	return files, nil
}

// schemaLine is the line by which an editor finds the schema of a file that a pull makes.
func schemaLine(kind portable.AssetKind, file string) string {
	up := ""
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		up += "../"
	}
	return "# yaml-language-server: $schema=" + up + path.Join(SchemaDirectory, SchemaFile(schemaKind(kind))) + "\n"
}
