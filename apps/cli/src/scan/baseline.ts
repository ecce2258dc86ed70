// A baseline: findings that are accepted for now. It identifies them without helping anyone to guess a value.
import { createHmac, randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { CommandError } from "../command-error.ts";
import { unreadable } from "../read-lines.ts";
import { readFileUpTo } from "./read-file.ts";
import type { Reported } from "./report.ts";

const Entry = z.strictObject({
  path: z.string(),
  class: z.string(),
  key: z.string().nullable(),
  /** 16 bits of a salted hash: enough to notice another value, too few to confirm a guess. */
  tag: z.string().regex(/^[\da-f]{4}$/),
});
const Baseline = z.strictObject({ version: z.literal(1), salt: z.string().min(16), findings: z.array(Entry) });
export type Baseline = z.infer<typeof Baseline>;
type Entry = z.infer<typeof Entry>;

export const newBaseline = (): Baseline => ({ version: 1, salt: randomBytes(16).toString("base64url"), findings: [] });

/** More than 100,000 findings. A repository may contain any file under the name of its baseline. */
const LARGEST = 64 * 1024 * 1024;

/** Throws CommandError (status 2) for a file that is missing or not a baseline. */
export async function readBaseline(path: string): Promise<Baseline> {
  const content = await readFileUpTo(path, LARGEST).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (typeof content === "string") throw new CommandError(`${path} is not a baseline.`, { status: 2 });
  try {
    return Baseline.parse(JSON.parse(Buffer.from(content).toString()));
  } catch (error) {
    throw new CommandError(`${path} is not a baseline.`, { cause: error, status: 2 });
  }
}

/** Replaces the file immediately. */
export async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const findings = [...baseline.findings].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  await writeFile(temporary, `${JSON.stringify({ ...baseline, findings }, null, 2)}\n`, { flag: "wx" });
  await rename(temporary, path);
}

/** The key of the fingerprints from which tags are cut. */
export const keyOf = ({ salt }: Baseline): Buffer =>
  createHmac("sha256", salt).update("strongroom/scan-baseline/v1").digest();

/** `tagged` is the fingerprint of the value under the baseline's key. Lines do not count: they move. */
export const entryOf = ({ path, class: found, keyName }: Reported, tagged: string): Entry => ({
  path,
  class: found,
  key: keyName,
  tag: Buffer.from(tagged, "base64url").subarray(0, 2).toString("hex"),
});

/** Tells whether the baseline lists a finding. */
export function accepted({ findings }: Baseline): (entry: Entry) => boolean {
  const listed = new Set(findings.map(textOf));
  return (entry) => listed.has(textOf(entry));
}

const textOf = ({ path, class: found, key, tag }: Entry): string => JSON.stringify([path, found, key, tag]);
