// Passwords in SQL: `IDENTIFIED BY 'x'`, `WITH PASSWORD 'x'`, and columns of INSERT statements.
import { candidateAt } from "./candidate.ts";
import type { Candidate, Line } from "./candidate.ts";
import { generatedKindOf } from "./generated.ts";
import { judgeKey } from "./key-name.ts";
import { isPasswordLike } from "./password-like.ts";
import { SQL, trigger } from "./triggers.ts";

const STATEMENTS: readonly RegExp[] = [
  /\bidentified\s+(?:with\s+\w+\s+)?(?:by|as)\s+(?:password\s+)?(?:'((?:[^'\n]|''){1,256})'|"([^"\n]{1,256})"|([A-Za-z_][\w$#]{2,64})(?=\s*(?:;|$|\s(?:default|account|profile|quota|temporary|password|replace|container))))/gi,
  /'(?:Cleartext|User|Crypt|MD5|NT|SHA|SSHA)-Password'\s*,\s*':?='\s*,\s*'([^'\n]{1,128})'/gi,
  /\bidentified\s+via\s+\w+\s+(?:using|as)\s+'([^'\n]{16,400})'/gi,
  /\bidentified\s+by\s+values\s+'([^'\n]{16,400})'/gi,
  /\b(?:\w+_)?(?:with\s+)?(?:encrypted\s+|unencrypted\s+)?password\s*=?\s*(?:N?'((?:[^'\n]|''){1,256})'|"([^"\n]{1,256})"|\\"([^"\\\n]{1,256})\\")(?=\s*(?:;|,|\)|"|$|\s[A-Za-z]))/gi,
  /\bpassword\s*\(\s*'((?:[^'\n]|'')*)'\s*\)/gi,
  /\b(?:sp_addlogin|sp_password)\s+(?:@\w+\s*=\s*)?N?'[^'\n]{0,128}'\s*,\s*(?:@\w+\s*=\s*)?N?'([^'\n]{1,128})'/gi,
  /\bsp_addlinkedsrvlogin\s+[^;\n]{0,200},\s*N?'([^'\n]{1,128})'\s*(?:;|$)/gi,
  /\bset\s+\w{1,64}\s*=\s*N?'((?:[^'\n]|''){1,256})'\s+where\s+\w{1,64}\s*=\s*N?'\w*(?:password|passwd|passphrase|secret)'/gi,
  /(?:^|["'])\s*conn(?:ect)?\s+[A-Za-z][\w$#]{0,30}\/([^\s@;'"]{3,128})(?=@|\s|;|$)/gi,
];

/** The password of a hash that the statement stores: `values ('bob', md5('x'))`. */
const HASHED = /(?<![\w.])(?:md5|sha1|sha2|digest|encrypt|crypt|password|old_password)\s*\(\s*'([^'\n]{4,128})'/gi;

trigger(["identified", "password", "sp_addlogin", "sp_addlinkedsrvlogin", "sp_password", "insert", "conn"], SQL);

export function readSql(line: Line): Candidate[] {
  const { text, format } = line;
  const found: Candidate[] = [];
  const isStatement =
    format === "sql" ||
    /\b(?:create|alter|grant|conn|connect|identified|insert\s+into|update|set\s+password|role|sp_addlogin|sp_addlinkedsrvlogin|sp_password)\b/i.test(
      text,
    );
  const stores = /\b(?:insert|update|values)\b/i.test(text);
  for (const statement of isStatement ? [...STATEMENTS, ...(stores ? [HASHED] : [])] : []) {
    statement.lastIndex = 0;
    for (let match = statement.exec(text); match !== null; match = statement.exec(text)) {
      const value = match.slice(1).find((group) => group !== undefined);
      if (value === undefined) continue;
      const from = match.index + match[0].lastIndexOf(value);
      found.push(
        candidateAt(line, "sql", from, from + value.length, {
          asserted: "password",
          isQuoted: true,
          userName: userIn(text.slice(0, match.index)),
        }),
      );
    }
  }
  if (format === "sql") return found;
  return [
    ...found,
    ...insertedCells(text).map(({ keyName, from, to }) =>
      candidateAt(line, "sql", from, to, { keyName, isQuoted: true }),
    ),
  ];
}

const userIn = (before: string): string | null =>
  /\b(?:user|role|login|to|for)\s+(?:if\s+not\s+exists\s+)?["'`[]?([\w$.-]{1,64})["'`\]]?[^;]{0,80}$/i.exec(
    before,
  )?.[1] ?? null;

const COPY =
  /^COPY[ \t]+(?<table>[\w."]{1,128})[ \t]*\((?<columns>[^()\n]{1,2000})\)[ \t]+FROM[ \t]+stdin[^\n]*\n(?<rows>(?:(?!\\\.)[^\n]*\n){1,100000})/gim;

/** Dumps of PostgreSQL: rows of values between tabs, below the names of their columns. */
export function readCopies(text: string): Candidate[] {
  if (!text.includes("FROM stdin")) return [];
  return [...text.matchAll(COPY)].flatMap((match) => {
    const { table = "", columns = "", rows = "" } = match.groups ?? {};
    const names = columns.split(",").map((name) => name.trim().replaceAll('"', ""));
    const isTokens = /token|api_?key/i.test(table);
    const secret = names.map(
      (name) => (judgeKey(name)?.strength ?? 0) >= 0.6 || (isTokens && /^(?:key|value)$/i.test(name)),
    );
    if (!secret.includes(true)) return [];
    let at = match.index + match[0].length - rows.length;
    return rows.split("\n").flatMap((row) => {
      const cells = row.split("\t").map((raw) => {
        const start = at;
        at += raw.length + 1;
        return { raw, start };
      });
      return cells.flatMap(({ raw, start }, column) =>
        // Django writes `!` and a random text for users who have no password.
        secret[column] !== true || cells.length !== names.length || raw === "\\N" || /^!\w{20}/.test(raw)
          ? []
          : [
              {
                detector: "table",
                keyName: /^(?:key|value)$/i.test(names[column]!) ? "token" : names[column]!,
                raw,
                start,
                end: start + raw.length,
                isQuoted: false,
                syntax: 0.95,
              },
            ],
      );
    });
  });
}

const INSERT = /\binsert\s+into\s+[\w."`[\]]{1,128}\s*\(([^()\n]{1,1000})\)\s*values\s*/gi;
const TUPLE =
  /\(((?:[^()'"\n]|'(?:[^'\\\n]|\\.){0,1000}'|"(?:[^"\\\n]|\\.){0,1000}"|\([^()\n]{0,100}\)){1,4000})\)\s*,?\s*/y;
const CELL = /\s*(?:'((?:[^'\\\n]|''|\\.){0,1000})'|"((?:[^"\\\n]|\\.){0,1000})"|([^,'"\n]{0,200}))\s*(?:,|$)/y;

const ROWS =
  /\binsert\s+(?:ignore\s+)?into\s+(?<table>[\w."`[\]]{1,128})\s*(?:\((?<columns>[^()]{1,1000})\)\s*)?values\s*(?<rows>\((?:[^;']|'(?:[^'\\]|\\.){0,1000}'){1,20000})/gi;
const PAIR_OF_CELLS = /'([\w.-]{3,60})'\s{0,9},\s{0,9}'([^'\n]{4,200})'/g;
const TEXT_CELL = /'([^'\\\n]{1,200})'/g;

/** Rows of settings such as `(3, 'smtp_password', 'x')`, and the only password-like text of a user where columns have no names. */
function readRows(text: string): Candidate[] {
  return [...text.matchAll(ROWS)].flatMap((insert) => {
    const { table = "", columns, rows = "" } = insert.groups ?? {};
    const base = insert.index + insert[0].length - rows.length;
    const settings = settingsIn(rows, base);
    return columns !== undefined || !/user|account|member|login|admin/i.test(table)
      ? settings
      : [...settings, ...passwordsOfUsers(rows, base)];
  });
}

const cellAt = (text: string, start: number, more: Partial<Candidate>): Candidate => ({
  detector: "sql",
  keyName: null,
  raw: text,
  start,
  end: start + text.length,
  isQuoted: true,
  syntax: 0.95,
  ...more,
});

function settingsIn(rows: string, base: number): Candidate[] {
  return [...rows.matchAll(PAIR_OF_CELLS)].flatMap((pair) => {
    const [whole, keyName = "", value = ""] = pair;
    if ((judgeKey(keyName)?.strength ?? 0) < 0.9 || (!isPasswordLike(value) && generatedKindOf(value) === null))
      return [];
    return [cellAt(value, base + pair.index + whole.lastIndexOf(value), { keyName })];
  });
}

function passwordsOfUsers(rows: string, base: number): Candidate[] {
  const found: Candidate[] = [];
  for (const row of rows.matchAll(/\([^()\n]{1,2000}\)/g)) {
    const cells = [...row[0].matchAll(TEXT_CELL)].filter(
      ([, value = ""]) =>
        isPasswordLike(value) &&
        !/^[\w.-]+@[\w-]+$/.test(value) &&
        generatedKindOf(value) !== "base32" &&
        generatedKindOf(value) !== "hex",
    );
    const [cell] = cells;
    if (cell === undefined || cells.length > 1) continue;
    found.push(cellAt(cell[1]!, base + row.index + cell.index + 1, { asserted: "password", syntax: 0.65 }));
  }
  return found;
}

interface InsertedCell {
  keyName: string;
  from: number;
  to: number;
}

/** Cells below columns with secret names, in statements of one or several lines. */
function insertedCells(text: string): InsertedCell[] {
  const found: InsertedCell[] = [];
  for (const insert of text.matchAll(INSERT)) {
    const columns = insert[1]!.split(",").map((name) => name.trim().replace(/^["'`[]|["'`\]]$/g, ""));
    const secret = columns.map((name) => (judgeKey(name)?.strength ?? 0) >= 0.6);
    if (!secret.includes(true)) continue;
    const most = found.length + 1000;
    TUPLE.lastIndex = insert.index + insert[0].length;
    for (let tuple = TUPLE.exec(text); tuple !== null && found.length < most; tuple = TUPLE.exec(text)) {
      const cells = tuple[1]!;
      const base = tuple.index + 1;
      CELL.lastIndex = 0;
      for (let column = 0; column < columns.length && CELL.lastIndex < cells.length; column += 1) {
        const at = CELL.lastIndex;
        const cell = CELL.exec(cells);
        if (cell === null) break;
        const value = cell[1] ?? cell[2];
        if (!secret[column] || value === undefined || value === "") continue;
        const from = base + cells.indexOf(value, at);
        found.push({ keyName: columns[column]!, from, to: from + value.length });
      }
    }
  }
  return found;
}

/** The INSERT statements of a file of SQL. */
export const readInserts = (text: string): Candidate[] => [
  ...insertedCells(text).map(({ keyName, from, to }) => cellAt(text.slice(from, to), from, { keyName })),
  ...readRows(text),
];
