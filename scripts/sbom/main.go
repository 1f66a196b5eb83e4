// Command sbom prints the software bill of materials of a Go program, as CycloneDX: the modules that the program says it was built from. It
// holds no time and no random number, so the same program has the same bill.
//
//	go run . PROGRAM VERSION
package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM VERSION")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	encoder := cyclonedx.NewBOMEncoder(os.Stdout, cyclonedx.BOMFileFormatJSON)
	return encoder.SetPretty(true).SetEscapeHTML(false).EncodeVersion(bill(info, version), cyclonedx.SpecVersion1_6)
}

// bill returns the program as what depends on its modules and on Go's own library.
func bill(info *buildinfo.BuildInfo, version string) *cyclonedx.BOM {
	of := component(cyclonedx.ComponentTypeApplication, info.Main.Path, version)
	parts := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, component(cyclonedx.ComponentTypeLibrary, module.Path, module.Version))
	}
	var refs []string
	for _, part := range parts {
		refs = append(refs, part.BOMRef)
	}
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{Component: &of}
	b.Components = &parts
	b.Dependencies = &[]cyclonedx.Dependency{{Ref: of.BOMRef, Dependencies: &refs}}
	return b
}

// component names a module by its package URL.
func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
