/**
 * Prints mooring.mjs as a plain script for Apps Script, which knows no modules: everything exported becomes a member of the global
 * object Mooring. Usage: node bundle.mjs > Mooring.gs
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * The plain script of a module that exports only by export in front of its declarations.
 * @param {string} source
 * @param {string} name
 */
export function bundle(source, name) {
  const exported = [...source.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map((match) => match[1]);
  const body = source.replace(/^export /gm, "");
  return `var ${name} = (function () {\n"use strict";\n${body}\nreturn { ${exported.join(", ")} };\n})();\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(bundle(readFileSync(new URL("mooring.mjs", import.meta.url), "utf8"), "Mooring"));
}
