/**
 * Prints mooring.mjs, checksum.mjs, address.mjs and utf8.mjs as one plain script for Apps Script, which knows no modules: everything exported becomes a member of
 * the global object Mooring. Usage: node bundle.mjs > Mooring.gs
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * The plain script of modules that import one another only and export only by export in front of its declarations.
 * @param {string} source
 * @param {string} name
 */
function bundle(source, name) {
  const exported = [...source.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map((match) => match[1]);
  const body = source.replace(/^import .*\n/gm, "").replace(/^export /gm, "");
  return `var ${name} = (function () {\n"use strict";\n${body}\nreturn { ${exported.join(", ")} };\n})();\n`;
}

/** The script of the add-in's half of Mooring's arithmetic. */
export function twin() {
  const sources = ["mooring.mjs", "checksum.mjs", "address.mjs", "utf8.mjs"].map((name) => readFileSync(new URL(name, import.meta.url), "utf8"));
  return bundle(sources.join("\n"), "Mooring");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) process.stdout.write(twin());
