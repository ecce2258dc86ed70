// Creates apps/server/data/blocked-passwords.bin from a JSON array of passwords: node scripts/make-blocked-passwords.mjs FILE.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HASH_BYTES = 5;
const [, , source] = process.argv;
if (source === undefined) throw new Error("Pass the path of a file with a JSON array of passwords.");

const passwords = JSON.parse(readFileSync(source, "utf8"));
const hashes = passwords.map((password) =>
  createHash("sha256")
    .update(password.normalize("NFKC").toLowerCase())
    .digest("hex")
    .slice(0, HASH_BYTES * 2),
);
const sorted = [...new Set(hashes)].toSorted((one, other) => (one < other ? -1 : 1));
writeFileSync(
  join(import.meta.dirname, "../apps/server/data/blocked-passwords.bin"),
  Buffer.from(sorted.join(""), "hex"),
);
console.log(`${sorted.length} passwords`);
