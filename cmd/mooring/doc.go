// Command mooring keeps reports true in spreadsheets: it serves the HTTP interface, runs the agent that refreshes placements, signs the
// tokens of both, and applies folders of reports as code. Each file is one command, and "mooring help" lists them; those that keep assets as
// code, and documents, are in package code, the demo in package demo, serve and agent, with what all commands work with, in package process.
//
// The command reads the configuration (package config) and wires the packages. It holds no rule of its own.
//
// Its tests hold the house: which package may import which, what each must have, and that the examples of the pages are true.
package main
