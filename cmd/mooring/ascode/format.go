package ascode

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
)

// Findings are what validating a folder found.
type Findings struct {
	Faults, Warnings Faults
}

// GitHub returns findings as annotations of a workflow's log. The folder's directory is named as the repository names it.
func (f Findings) GitHub(dir string) string {
	var b strings.Builder
	for level, list := range f.levels() {
		for _, one := range list {
			b.WriteString(annotation(level, dir, one.Place, one.Message))
		}
	}
	return b.String()
}

// levels are the findings by how bad they are, the worst first.
func (f Findings) levels() iter.Seq2[string, Faults] {
	return func(yield func(string, Faults) bool) { _ = yield("error", f.Faults) && yield("warning", f.Warnings) }
}

// GitHub returns a plan as annotations of a workflow's log: conflicts and errors, what vanishes and what drifted, and the summary.
func (r *Review) GitHub(f *Folder, dir string) string {
	var b strings.Builder
	b.WriteString(Findings{Faults: r.Faults(f)}.GitHub(dir))
	for _, a := range r.Assets {
		if a.Drift == nil && (a.Columns == nil || len(a.Columns.Vanish) == 0) {
			continue
		}
		name := fmt.Sprintf("%s:%s: ", a.Kind, a.Ref)
		b.WriteString(annotation("warning", dir, f.PlaceOf(a.Kind, a.Ref, ""), name+strings.Join(remarks(a), "; ")))
	}
	b.WriteString("::notice title=mooring plan::" + escapeData.Replace(r.Summary.String()) + "\n")
	return b.String()
}

// The escapes of workflow commands.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotation(level, dir string, at yaml.Place, message string) string {
	where := "file=" + escapeProperty.Replace(visibleWithin(path.Join(dir, at.File)))
	if at.Line > 0 {
		where += fmt.Sprintf(",line=%d,col=%d", at.Line, at.Column)
	}
	return fmt.Sprintf("::%s %s::%s\n", level, where, escapeData.Replace(visibleWithin(message)))
}

// JSON returns a plan as the interface has it.
func (r *Review) JSON() ([]byte, error) { return visibleJSON(r) }

// visibleJSON returns a value as JSON for a terminal or a log.
func visibleJSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return []byte(visible(string(text))), err
}

// fault is one in the output of validate as JSON.
type fault struct {
	Rule    yaml.Rule `json:"rule"`
	File    string    `json:"file"`
	Line    int       `json:"line,omitempty"`
	Column  int       `json:"column,omitempty"`
	Message string    `json:"message"`
}

// JSON returns findings as {"faults": […], "warnings": […]}.
func (f Findings) JSON() ([]byte, error) {
	named := map[string]Faults{"faults": f.Faults, "warnings": f.Warnings}
	lists := map[string][]fault{}
	for name, found := range named {
		lists[name] = make([]fault, len(found))
		for i, one := range found {
			lists[name][i] = fault{one.Rule, one.Place.File, one.Place.Line, one.Place.Column, one.Message}
		}
	}
	return visibleJSON(lists)
}

// The parts of a SARIF log that are used here (SARIF 2.1.0).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

// SARIF returns findings as a log of static analysis. The folder's directory is named as the repository names it.
func (f Findings) SARIF(dir string) ([]byte, error) {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "mooring", Rules: []sarifRule{}}}, Results: []sarifResult{}}
	for level, list := range f.levels() {
		for _, one := range list {
			rule := sarifRule{"mooring/" + string(one.Rule)}
			if !slices.Contains(run.Tool.Driver.Rules, rule) {
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: rule.ID, Level: level, Message: sarifMessage{one.Message}, Locations: []sarifLocation{{sarifAt(dir, one.Place)}},
			})
		}
	}
	const schema = "https://json.schemastore.org/sarif-2.1.0.json"
	return visibleJSON(sarifLog{Schema: schema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifAt(dir string, at yaml.Place) sarifPhysical {
	where := sarifPhysical{Artifact: sarifArtifact{uri(path.Join(dir, at.File))}}
	if at.Line > 0 {
		where.Region = &sarifRegion{at.Line, at.Column}
	}
	return where
}

// uri returns a path as a relative URI reference.
func uri(name string) string { return (&url.URL{Path: name}).String() }
