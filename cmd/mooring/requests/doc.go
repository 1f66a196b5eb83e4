// Package requests holds a test that sends the built program requests which are made from openapi.json by a seeded generator, valid ones and
// mutated ones, as several users of two tenants, and holds every answer to the document: its status, its content type and its body. No answer may
// be a 5xx, stay out, or show anything of the inside of the program; and at the end the store is whole. Before that, a tour sends every operation
// whole: each must be accepted. Between the others come runs of clients, deliveries to a hook and sessions from beginning to end, each of whose
// requests may come first with a body that is not right. scripts/requests sends as many as wanted; a smaller number is a test.
package requests
