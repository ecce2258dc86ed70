// Canary secrets, and the search for them in everything that a server writes.
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import pg from "pg";

const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** 24 random letters and digits: no other text contains a third of them by chance. */
export const aCanary = (): string => Array.from(randomBytes(24), (byte) => ALPHABET[byte % ALPHABET.length]).join("");

const PIECE = 8;

/** Pieces of the canary as text, UTF-16 and hexadecimal digits, and all of it in base64 at each alignment. */
function formsOf(canary: string): Buffer[] {
  const starts = Array.from({ length: Math.floor(canary.length / PIECE) }, (_, number) => number * PIECE);
  if (starts.length === 0) throw new Error("A canary needs 8 characters");
  const pieces = starts.map((start) => canary.slice(start, start + PIECE));
  // The last characters depend on the text that follows, so whole groups of three bytes only.
  const base64 = [0, 1, 2].map((skipped) => {
    const length = Math.floor((canary.length - skipped) / 3) * 3;
    return Buffer.from(canary.slice(skipped, skipped + length)).toString("base64");
  });
  return [
    ...pieces.flatMap((piece) => [
      Buffer.from(piece),
      Buffer.from(piece, "utf16le"),
      Buffer.from(Buffer.from(piece).toString("hex")),
    ]),
    ...base64.map((text) => Buffer.from(text)),
  ];
}

/** The names of the canaries that occur in the content, in any form. */
export function canariesIn(content: Buffer | string, canaries: Record<string, string>): string[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Object.keys(canaries).filter((name) => formsOf(canaries[name]!).some((form) => bytes.includes(form)));
}

/** The content of an XLSX file as text: each of its compressed parts. */
export function unzipped(file: Buffer): string {
  const parts: string[] = [];
  for (let at = file.indexOf("PK\u0003\u0004"); at !== -1; at = file.indexOf("PK\u0003\u0004", at + 4)) {
    const start = at + 30 + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
    const isCompressed = file.readUInt16LE(at + 8) === 8;
    parts.push(isCompressed ? inflateRawSync(file.subarray(start)).toString() : file.subarray(start).toString());
  }
  return parts.join("\n");
}

/** Every row of every table outside the system's schemas, as text. Binary columns become hexadecimal digits. */
export async function dumpDatabase({ dataFolder }: { dataFolder: string }): Promise<Map<string, string>> {
  const client = new pg.Client({
    host: join(dataFolder, "postgres/run"),
    user: "strongroom",
    database: "strongroom",
    ssl: false,
  });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const dump = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select it::text as row from ${name} it`);
      dump.set(name, rows.map(({ row }) => row).join("\n"));
    }
    return dump;
  } finally {
    await client.end();
  }
}

/** The files below a folder that contain a canary, among them the tables, write-ahead log and logs of the database. */
export function filesWithCanaries(folder: string, canaries: Record<string, string>): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => canariesIn(readFileSync(path), canaries).length > 0);
}

/** The writable memory of a process, as a core dump would contain it. */
export function* memoryOf(pid: number): Generator<Buffer> {
  const regions = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const region of regions) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(region) ?? [];
      if (from === undefined || to === undefined) continue;
      const size = Number.parseInt(to, 16) - Number.parseInt(from, 16);
      const content = Buffer.alloc(Math.min(size, 64 * 1024 * 1024));
      try {
        readSync(memory, content, 0, content.length, Number.parseInt(from, 16));
      } catch {
        // The process released the region in the meantime.
        continue;
      }
      yield content;
    }
  } finally {
    closeSync(memory);
  }
}
