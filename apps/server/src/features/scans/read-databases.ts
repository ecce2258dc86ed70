// Reads the databases of a target, and turns what they contain into findings of columns, definitions and settings.
import type {
  Connector,
  DatabaseReader,
  ReadColumn,
  ReadDatabasesResult,
  Target,
  VerifyContext,
} from "@strongroom/connectors";
import type { Secret } from "@strongroom/keys";
import { DATABASE_PLACES, textOfDefinition, textOfSettings, textOfTable } from "#features/findings/index.ts";
import type { DatabaseText, DetectedFinding, ScannedFile } from "#features/findings/index.ts";
import type { TargetRow } from "#features/discovery/index.ts";
import { ofColumns } from "./databases.policy.ts";
import type { FileScanner } from "./file-scanner.ts";
import type { Recorder } from "./record-files.ts";
import type { ScansContext } from "./scans.ts";
import { databaseSearchOf } from "./scans.policy.ts";
import type { EnhancedScanRow } from "./scans.store.ts";

interface DatabaseScan {
  scan: EnhancedScanRow;
  target: TargetRow;
  to: Target;
  secret: Secret;
  read: NonNullable<Connector["readDatabases"]>;
  scanner: FileScanner;
  recorder: Recorder;
  hash: (text: string) => string;
  limits: VerifyContext;
}

interface Readers {
  owner: string;
  isPublic: boolean;
}

export async function readDatabases(
  { kernel, findings }: ScansContext,
  { scan, target, to, secret, read, scanner, recorder, hash, limits }: DatabaseScan,
): Promise<ReadDatabasesResult> {
  const known = (
    await Promise.all(DATABASE_PLACES.map((kind) => findings.placesOf(kernel.database.db, target.id, kind)))
  ).flat();
  const hasFindings = new Set(known);
  const at = kernel.clock.now().toISOString();

  const scanText = (text: DatabaseText, done: (found: Map<string, DetectedFinding[]> | null) => void) =>
    scanner.scan(text.file, new TextEncoder().encode(text.text), (found) => {
      if (found === null) return done(null);
      const byPlace = new Map<string, DetectedFinding[]>();
      for (const each of found) {
        const position = text.placeOf(each.line);
        if (position === null) continue;
        const { place, line } = position;
        // INVARIANT: rows around a secret are data of the target's users, and are not stored.
        const context = text.file === "rows.env" ? [] : each.context;
        byPlace.set(place, [...(byPlace.get(place) ?? []), { ...each, line, context }]);
      }
      done(byPlace);
    });

  const fileOf = (
    path: string,
    { owner, isPublic }: Readers,
    found: DetectedFinding[],
    isPart: boolean,
  ): ScannedFile => ({
    path,
    size: 0,
    stamp: "",
    modifiedAt: at,
    // Read as a file's mode: whether every login of the database can read it.
    mode: isPublic ? "644" : "600",
    owner,
    group: "",
    found,
    isPart,
  });

  const scanOne = async (place: string, readers: Readers, text: DatabaseText, isPart: boolean) => {
    await scanText(text, (found) => {
      if (found === null) recorder.addUnscanned(place);
      else
        recorder.add({
          files: [fileOf(place, readers, found.get(place) ?? [], isPart)],
          count: 0,
          bytes: Buffer.byteLength(text.text),
        });
    });
    await recorder.flushIfDue();
  };

  const reader: DatabaseReader = {
    found: (tables) => recorder.foundMore(tables),
    table: async (table) => {
      const text = textOfTable(table);
      const { columns, isPart, rows } = table;
      const needed =
        (found: Map<string, DetectedFinding[]>) =>
        ({ place }: ReadColumn) =>
          found.has(place) || hasFindings.has(place);
      await scanText(text, (found) => {
        if (found === null) return recorder.addUnscanned(columns[0]!.place);
        const files = columns
          .filter(needed(found))
          .map((column) => fileOf(column.place, table, ofColumns(column, found, { rows: rows.length, hash }), isPart));
        recorder.add({ files, count: 1, bytes: Buffer.byteLength(text.text) });
      });
      await recorder.flushIfDue();
    },
    definition: (definition) => scanOne(definition.place, definition, textOfDefinition(definition), definition.isPart),
    settings: (settings) => scanOne(settings.place, settings, textOfSettings(settings), false),
  };
  return read(to, secret, databaseSearchOf(scan.config, known), reader, limits);
}
