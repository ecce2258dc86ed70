// Sends a checkpoint to a witness (C2SP tlog-witness) with a proof that it extends the last one the witness saw, and
// returns its cosignature.
import { post } from "@strongroom/connectors";
import type { PostAnswer } from "@strongroom/connectors";
import { cosignedAt, parseWitnessKey } from "@strongroom/auditlog";
import type { AuditSinkConfig } from "@strongroom/contract";
import { envelopeContextOf } from "../context.ts";
import type { AuditSinkContext } from "../context.ts";

export type Witnessed =
  | { outcome: "cosigned"; note: string; message: string }
  /** The witness has a checkpoint that this log does not extend: one of the two logs was rewritten or rolled back. */
  | { outcome: "contradicted"; message: string }
  | { outcome: "failed"; message: string };

interface Submission {
  /** The size of the newest checkpoint that the witness saw, as far as this server knows. */
  seen: number;
  size: number;
  note: string;
}

/**
 * If the witness remembers a different size, it replies with that size, and the checkpoint is sent again with a proof
 * from that size.
 */
export async function sendToWitness(
  context: AuditSinkContext,
  config: Extract<AuditSinkConfig, { kind: "witness" }>,
  submission: Submission,
  signal: AbortSignal,
): Promise<Witnessed> {
  const first = await submit(context, config, submission, signal);
  if (!("remembers" in first)) return first;
  const { remembers } = first;
  if (remembers > submission.size) {
    const message = `The witness has seen ${remembers} entries, more than this log has: entries were removed.`;
    return { outcome: "contradicted", message };
  }
  const second = await submit(context, config, { ...submission, seen: remembers }, signal);
  return "remembers" in second ? failed("The witness did not report its last checkpoint.") : second;
}

async function submit(
  context: AuditSinkContext,
  { url, ca, witness_key: key }: Extract<AuditSinkConfig, { kind: "witness" }>,
  { seen, size, note }: Submission,
  signal: AbortSignal,
): Promise<Witnessed | { remembers: number }> {
  const proof = await context.outlet.consistency(context.kernel.database.db, seen, size).catch(() => null);
  if (proof === null) return failed("The stored tree is incomplete: no proof for the witness. Verify the audit trail.");
  const lines = [`old ${seen}`, ...proof.map((hash) => hash.toString("base64")), "", note];
  const query = { url: `${url.replace(/\/+$/, "")}/add-checkpoint`, ca, headers: { "content-type": "text/plain" } };
  const { answer, message } = await post({ ...query, body: lines.join("\n") }, envelopeContextOf(context, signal));
  return answer === null ? failed(message) : judge(answer, note, key, seen === size);
}

function judge(
  { status, body }: PostAnswer,
  note: string,
  key: string,
  isSameSize: boolean,
): Witnessed | { remembers: number } {
  if (status === 200) return withCosignature(note, body, key);
  const remembers = /^(\d{1,15})\n?$/.exec(body)?.[1];
  if (status === 409 && remembers !== undefined) return { remembers: Number(remembers) };
  if (status === 422 || (status === 409 && isSameSize)) {
    const message =
      "The witness has seen a different history of this log: entries that it cosigned were changed or removed.";
    return { outcome: "contradicted", message };
  }
  if (status === 404) return failed("The witness does not watch this log. Add this log's key there.");
  if (status === 403) return failed("The witness has another key for this log.");
  return failed(`The witness answered with status ${status}.`);
}

/** INVARIANT: only a cosignature by the pinned key counts. */
function withCosignature(note: string, line: string, key: string): Witnessed {
  const witness = parseWitnessKey(key);
  const cosigned = note + line;
  if (witness === null || cosignedAt(cosigned, witness) === null)
    return failed("The answer is not a cosignature by this witness's key.");
  return { outcome: "cosigned", note: cosigned, message: "The witness cosigned the checkpoint." };
}

const failed = (message: string): Witnessed => ({ outcome: "failed", message });
