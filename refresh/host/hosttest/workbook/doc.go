// Package workbook acts on .xlsx files as a person with a spreadsheet program does, and on their parts as text.
package workbook
