// Command mooring keeps reports true in spreadsheets: it serves the HTTP interface, runs the agent that refreshes
// placements, and signs the tokens of both. It reads the configuration and wires the packages; it holds no rule of its own.
package main
