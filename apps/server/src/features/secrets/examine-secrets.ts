// Checks whether every stored secret opens with the available keys, without looking at its value.
import { EnvelopeError, KekError, SealedError } from "@strongroom/keys";
import { sql } from "kysely";
import type { Kernel } from "#kernel/kernel.ts";
import { openEnvelope } from "./open-secret.ts";

const AT_ONCE = 500;

interface Stored {
  credential_id: string;
  user_id: string | null;
  safe_id: string | null;
  version: number;
  envelope: Buffer;
}

/**
 * Reads every version of every secret once, in pages. Calls `progress` with the number read so far; an error it throws
 * stops the check. Also works on a copy of the database: it needs only the kernel's database, keys and log.
 */
export async function examineSecrets(
  kernel: Kernel,
  progress: (done: number) => Promise<void>,
): Promise<{ total: number; unreadable: number }> {
  const result = { total: 0, unreadable: 0 };
  let after: Pick<Stored, "credential_id" | "version"> | null = null;
  for (;;) {
    const page: Stored[] = await nextPage(kernel, after);
    for (const { credential_id: id, ...held } of page) {
      result.total += 1;
      if (!(await doesOpen(kernel, { id, ...held }))) result.unreadable += 1;
    }
    await progress(result.total);
    after = page.at(-1) ?? null;
    if (after === null || page.length < AT_ONCE) return result;
  }
}

async function doesOpen(kernel: Kernel, held: Parameters<typeof openEnvelope>[1]): Promise<boolean> {
  try {
    (await openEnvelope(kernel, held)).dispose();
    return true;
  } catch (error) {
    if (error instanceof SealedError) throw error;
    if (error instanceof EnvelopeError || error instanceof KekError) return false;
    throw error;
  }
}

async function nextPage(
  { database }: Kernel,
  after: Pick<Stored, "credential_id" | "version"> | null,
): Promise<Stored[]> {
  const beyond =
    after === null
      ? sql``
      : sql`where (version.credential_id, version.version) > (${after.credential_id}::uuid, ${after.version})`;
  const { rows } = await sql<Stored>`
    select version.credential_id, credential.user_id, credential.safe_id, version.version, version.envelope
    from secret_versions version join credentials credential on credential.id = version.credential_id
    ${beyond} order by version.credential_id, version.version limit ${AT_ONCE}`.execute(database.db);
  return rows;
}
