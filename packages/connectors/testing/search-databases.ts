// Searches a database as a scan does, and collects what the reader receives.
import { Secret } from "@strongroom/keys";
import assert from "node:assert/strict";
import type { Connector, ReadDatabasesFinding, Target } from "../src/connector.ts";
import type { DatabaseSearch, ReadDefinition, ReadSettings, ReadTable } from "../src/database-search.ts";
import { aContext, aTarget } from "./factories.ts";

const EVERYTHING: DatabaseSearch = {
  maxRows: 100,
  maxTables: 100,
  maxTotalBytes: 10_000_000,
  excludes: [],
  only: null,
  known: [],
};

export interface SearchedLogin {
  target: Partial<Target>;
  password: string;
}

/** The outcome, and everything that was read. */
export async function trySearch(
  connector: Connector,
  { target, password }: SearchedLogin,
  search: Partial<DatabaseSearch> = {},
) {
  const tables: ReadTable[] = [];
  const definitions: ReadDefinition[] = [];
  const settings: ReadSettings[] = [];
  const reader = {
    found: async () => {},
    table: async (table: ReadTable) => void tables.push(table),
    definition: async (definition: ReadDefinition) => void definitions.push(definition),
    settings: async (each: ReadSettings) => void settings.push(each),
  };
  using secret = Secret.fromText(password);
  const wanted = { ...EVERYTHING, ...search };
  const result = await connector.readDatabases!(aTarget(target), secret, wanted, reader, aContext());
  return {
    result,
    tables,
    columns: tables.flatMap((table) => table.columns.map(({ place }) => place)),
    definitions: definitions.map(({ place, text }) => [place, text] as const),
    settings: settings.map(
      (each) => [each.place, ...each.settings.map(({ name, value }) => `${name}=${value}`)] as const,
    ),
    /** Of definitions and settings. */
    places: [...definitions, ...settings].map(({ place }) => place),
  };
}

type Searched = Awaited<ReturnType<typeof trySearch>>;
type Read = Extract<ReadDatabasesFinding, { outcome: "read" }>;

/** Fails unless the search reached its end. */
export async function searchDatabases(
  ...args: Parameters<typeof trySearch>
): Promise<Omit<Searched, "result"> & { result: Read }> {
  const searched = await trySearch(...args);
  assert.equal(searched.result.outcome, "read", searched.result.message);
  return { ...searched, result: searched.result };
}
