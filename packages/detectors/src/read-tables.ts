// Tables in text files: cells below a header with a secret's name, and lists of logins without a header.
import type { Candidate } from "./candidate.ts";
import { isDigest } from "./hashes.ts";
import { judgeKey } from "./key-name.ts";
import { isPasswordLike } from "./password-like.ts";

const LARGEST = 4_000_000;
const TABLE_FILE = /\.(?:csv|tsv|txt|dat|lst|list|tab|psv)$/i;
const LOGIN_FILE =
  /(?:^|\/)[\w.-]*(?:user|account|login|mailbox|cred|passw|secret|auth|partner|customer|kunden|members?)[\w-]*(?:\.(?:csv|tsv|txt|dat|lst|list|tab|psv))?$/i;
const USER = /user|login|account|e?mail|name|host|benutzer|usuario|utilisateur/i;

interface Row {
  cells: { raw: string; start: number }[];
}

export function readTables(path: string, text: string): Candidate[] {
  if (text.length > LARGEST) return [];
  if (TABLE_FILE.test(path)) {
    const found = readBelowHeader(path, text);
    if (found.length > 0) return found;
  }
  return LOGIN_FILE.test(path) ? readLogins(text) : [];
}

function readBelowHeader(path: string, text: string): Candidate[] {
  const header = /^[^\n]{1,2000}/.exec(text)?.[0].trimEnd() ?? "";
  const line = header.replace(/^#[ \t]*/, "");
  const separator = separatorOf(line);
  if (separator === null) return [];
  const names = line.split(separator).map(bare);
  const secret = names.map((name) => name.length < 40 && (judgeKey(name)?.strength ?? 0) >= 0.8);
  if (!secret.includes(true)) return [];
  if (!/\.[ct]sv$/i.test(path) && !names.every((name, index) => secret[index] || /^[\p{L}_][\w .-]{0,39}$/u.test(name)))
    return [];
  const user = names.findIndex((name, index) => USER.test(name) && !secret[index]);
  if (user === -1 && !/\.[ct]sv$/i.test(path)) return [];
  return rowsOf(text, header.length, separator).flatMap(({ cells }) =>
    cells.length !== names.length
      ? []
      : cells.flatMap(({ raw, start }, column) =>
          secret[column] !== true || raw === ""
            ? []
            : [
                {
                  detector: "table",
                  keyName: names[column]!,
                  raw,
                  start,
                  end: start + raw.length,
                  isQuoted: true,
                  syntax: 0.9,
                  userName: cells[user]?.raw ?? null,
                },
              ],
        ),
  );
}

/** Rows of the same shape, in which exactly one column looks like passwords. */
function readLogins(text: string): Candidate[] {
  const first = text.split("\n", 20).find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
  const separator = separatorOf(first);
  if (separator === null) return [];
  const rows = rowsOf(text, 0, separator);
  const columns = rows[0]?.cells.length ?? 0;
  if (columns < 2 || columns > 8 || rows.some(({ cells }) => cells.length !== columns)) return [];
  if (rows.length < 2 && !(columns === 2 && separator === ":")) return [];
  const passwords = Array.from({ length: columns }, (_, column) => column).filter((column) =>
    rows.every(({ cells }) => isPasswordLike(cells[column]!.raw)),
  );
  const [column] = passwords;
  // Files of accounts with hashes have other columns that look like passwords.
  if (rows.some(({ cells }) => cells.some(({ raw }) => isDigest(raw) || /^X{16,}$/.test(raw)))) return [];
  if (column === undefined || column === 0 || passwords.length > 1) return [];
  return rows.map(({ cells }) => {
    const { raw, start } = cells[column]!;
    return {
      detector: "file-format",
      keyName: null,
      raw,
      start,
      end: start + raw.length,
      isQuoted: true,
      syntax: 0.8,
      asserted: "password" as const,
      userName: cells[0]!.raw,
    };
  });
}

function separatorOf(line: string): string | null {
  return /[|;\t]/.exec(line)?.[0] ?? /[,:]/.exec(line)?.[0] ?? null;
}

const bare = (cell: string): string => cell.trim().replace(/^"|"$/g, "");

/** The rows from an index on, without comments and empty lines. */
function rowsOf(text: string, from: number, separator: string): Row[] {
  const rows: Row[] = [];
  let lineStart = from;
  for (const line of text.slice(from).split("\n")) {
    if (line.trim() !== "" && !line.startsWith("#")) {
      let at = lineStart;
      const cells = line.split(separator).map((cell) => {
        const raw = bare(cell);
        const start = at + cell.indexOf(raw);
        at += cell.length + 1;
        return { raw, start };
      });
      rows.push({ cells });
    }
    lineStart += line.length + 1;
  }
  return rows;
}
