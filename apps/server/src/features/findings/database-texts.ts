// Turns the content of a database into text for the detectors, and maps each line of the text to its place.
import type { ReadDefinition, ReadSettings, ReadTable } from "@strongroom/connectors";

export interface DatabaseText {
  /** A name for the detectors, which decides how they read the text. */
  file: "rows.env" | "definition.sql" | "settings.env";
  text: string;
  /** The place of a line, counted from 1, and its line or row there; null for separator lines. */
  placeOf(line: number): { place: string; line: number } | null;
}

/** Every row is a section with a line for each value, so that the detectors see which login a password belongs to. */
export function textOfTable({ columns, rows }: ReadTable): DatabaseText {
  const named = pairOf(columns.map(({ name }) => name));
  const lines: string[] = [];
  const places: ({ place: string; line: number } | null)[] = [null];
  for (const [index, row] of rows.entries()) {
    const add = (text: string, place: string | null) => {
      lines.push(text);
      places.push(place === null ? null : { place, line: index + 1 });
    };
    add("[row]", null);
    for (const [at, { place, name }] of columns.entries()) {
      const value = row[at];
      if (value === null || value === undefined || value === "" || isSlowHash(value) || at === named?.name) continue;
      const label = at === named?.value ? (row[named.name] ?? name) : name;
      for (const line of linesOf(settingName(label), value)) add(line, place);
    }
  }
  return { file: "rows.env", text: lines.join("\n"), placeOf: (line) => places[line] ?? null };
}

export const textOfDefinition = ({ place, text }: ReadDefinition): DatabaseText => ({
  file: "definition.sql",
  text,
  placeOf: (line) => ({ place, line }),
});

export const textOfSettings = ({ place, settings }: ReadSettings): DatabaseText => ({
  file: "settings.env",
  text: settings.flatMap(({ name, value }) => linesOf(settingName(name), value)).join("\n"),
  placeOf: (line) => ({ place, line }),
});

const VALUE = /(?:^|_)(?:value|val)$/i;
const NAME = /(?:^|_)(?:key|name|code|path)$|^(?:option|setting|parameter|property|variable|attribute|item)$/i;

/** The columns of a table of settings, such as `option_name` and `option_value`. */
function pairOf(columns: readonly string[]): { name: number; value: number } | null {
  const name = columns.findIndex((column) => NAME.test(column));
  const values = columns.filter((column) => VALUE.test(column));
  return name < 0 || values.length !== 1 ? null : { name, value: columns.indexOf(values[0]!) };
}

const LONGEST_NAME = 64;

/** The name of a setting, as the detectors report it. */
export const settingName = (name: string): string => {
  const plain = name.slice(0, LONGEST_NAME).replaceAll(/[^\w.-]+/g, "_");
  return plain === "" ? "_" : plain;
};

/** Structured values and values of several lines keep their form, because the detectors know it. */
function linesOf(name: string, value: string): string[] {
  if (/^\s*[{[]/.test(value)) return [`${name} =`, ...indented(value)];
  if (value.includes("\n") || value.startsWith("<")) return [`${name} =`, ...value.split(/\r?\n/)];
  return [`${name} = "${value.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll(/\p{Cc}/gu, " ")}"`];
}

function indented(value: string): string[] {
  try {
    return JSON.stringify(JSON.parse(value), null, 2).split("\n");
  } catch {
    return value.split(/\r?\n/);
  }
}

/** Hashes that are made to be stored, such as bcrypt and Argon2. Fast ones, such as MD5, are findings. */
const SLOW_HASH =
  /^(?:\$(?:2[abxy]?|argon2(?:id?|d)|scrypt|bcrypt-sha256|pbkdf2(?:-sha\d+)?|y|gy|7|5|6)\$|(?:pbkdf2|bcrypt|argon2|scrypt|pbkdf2_sha\d+|bcrypt_sha256)[$:]|\{(?:PBKDF2|BCRYPT|ARGON2)[\w-]*\}|SCRAM-SHA-256\$)/i;

const isSlowHash = (value: string): boolean => SLOW_HASH.test(value);
