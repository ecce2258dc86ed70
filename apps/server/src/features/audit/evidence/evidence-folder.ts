// Stores the evidence of contradictions in the data folder, one file each, out of reach of the database's owner.
import { mkdir, open, readFile, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ContradictionRow, FoundContradiction } from "../contradictions/contradictions.store.ts";

export interface EvidenceFolder {
  save(found: FoundContradiction, rows: unknown): Promise<void>;
  /** The contradictions that no administrator has accepted. */
  readOpen(): Promise<FoundContradiction[]>;
  /** Keeps the evidence file and adds the decision to it. */
  close(found: FoundContradiction, decision: ContradictionRow): Promise<void>;
}

const Saved = z.object({
  id: z.string(),
  fingerprint: z.string().transform((text) => Buffer.from(text, "base64")),
  source: z.string(),
  subject: z.string(),
  is_stopping: z.boolean(),
  kind: z.custom<FoundContradiction["kind"]>((kind) => typeof kind === "string"),
  leaf_index: z.number().nullable(),
  message: z.string(),
  known_note: z.string().nullable(),
  stored_note: z.string().nullable(),
  found_at: z.string().transform((text) => new Date(text)),
});

const OPEN = ".json";
const CLOSED = ".accepted";

/** `folder` is created if needed, accessible to the server's user only. */
export function openEvidenceFolder(folder: string): EvidenceFolder {
  const pathOf = ({ id }: { id: string }): string => join(folder, `${id}${OPEN}`);
  async function write(path: string, content: object): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const next = `${path}.next`;
    const file = await open(next, "w", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  }
  const asJson = (found: FoundContradiction) => ({ ...found, fingerprint: found.fingerprint.toString("base64") });
  return {
    save: (found, rows) => write(pathOf(found), { ...asJson(found), rows }),
    async readOpen() {
      const names = await readdir(folder).catch(absent([]));
      const texts = names.filter((name) => name.endsWith(OPEN)).map((name) => readFile(join(folder, name), "utf8"));
      return (await Promise.all(texts)).map((text) => Saved.parse(JSON.parse(text)));
    },
    async close(found, { accepted_at, accepted_by, reason, base_note }) {
      const path = pathOf(found);
      const saved = JSON.parse(await readFile(path, "utf8").catch(absent("{}"))) as object;
      await write(path, { ...asJson(found), ...saved, accepted_at, accepted_by, reason, base_note });
      await rename(path, `${path}${CLOSED}`);
    },
  };
}

function absent<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
