// Package config reads the configuration file (decisions.md §9): YAML whose text values may name environment variables as ${NAME}.
//
// [Load] returns a [Config] whose every value was checked, or one error that names every fault of the file with its line and
// column. A source or a spreadsheet host is an entry with a kind; the keys beside it are those of the kind's driver, which
// [Drivers] lists. Sources and hosts are opened by the caller, which reports what is wrong with one of them through
// [Config.Fault], so that it has its line, too.
package config
