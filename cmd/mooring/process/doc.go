// Package process is what a command of the program works with: its invocation, the configuration that it reads, the terminal; and a service, all
// of one process: the store, open sources and hosts, an agent, the HTTP interface, reloads and the drain at the end.
package process
