// Weighs what a browser loads first, the overview included, packed; fails above the budget.
/* oxlint-disable no-console -- it is a command */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const BUILT = join(import.meta.dirname, "../src/windlass/http/dashboard");
const BUDGET = 170_000;
const FIRST = ["index.html", "src/pages/overview/page.tsx"];

const manifest = JSON.parse(readFileSync(join(BUILT, "manifest.json"), "utf8"));
const files = new Set();

function take(name) {
    const chunk = manifest[name];
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const other of chunk.imports ?? []) if (!files.has(manifest[other].file)) take(other);
}

FIRST.forEach(take);
const weights = [...files].map((file) => [gzipSync(readFileSync(join(BUILT, file))).length, file]);
const total = weights.reduce((sum, [weight]) => sum + weight, 0);
if (total > BUDGET) {
    for (const [weight, file] of weights.toSorted(([a], [b]) => b - a)) console.log(weight, file);
    console.log(`the first load is ${total} bytes packed, and ${BUDGET} is what it may be`);
    process.exit(1);
}
console.log(`first load: ${(total / 1000).toFixed(1)} KB packed of ${BUDGET / 1000}`);
