// Creates apps/server/data/blocked-passwords.bin: node scripts/make-blocked-passwords.mjs RANKING [MORE.json].
// RANKING: a text file with one password per line, the most common first. MORE: a JSON array of additional passwords.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HASH_BYTES = 5;
/** So many of all lengths, because the rules compare parts of a password too, and so many that are long enough to choose. */
const MOST_COMMON = 100_000;
const SHORTEST_PASSWORD = 8;

const [, , ranking, more] = process.argv;
if (ranking === undefined) throw new Error("Pass the path of a text file with one password per line.");

const normalized = (password) => password.normalize("NFKC").toLowerCase();
const ranked = [...new Set(readFileSync(ranking, "utf8").split(/\r?\n/).filter(Boolean).map(normalized))];
const longEnough = ranked.filter((password) => [...password].length >= SHORTEST_PASSWORD);
const others = more === undefined ? [] : JSON.parse(readFileSync(more, "utf8")).map(normalized);
const passwords = new Set([...ranked.slice(0, MOST_COMMON), ...longEnough.slice(0, MOST_COMMON), ...others]);

const hash = (password) =>
  createHash("sha256")
    .update(password)
    .digest("hex")
    .slice(0, HASH_BYTES * 2);
const sorted = [...new Set(Array.from(passwords, hash))].toSorted((one, other) => (one < other ? -1 : 1));
writeFileSync(
  join(import.meta.dirname, "../apps/server/data/blocked-passwords.bin"),
  Buffer.from(sorted.join(""), "hex"),
);
console.log(`${sorted.length} passwords, ${longEnough.slice(0, MOST_COMMON).length} of them ranked and long enough`);
