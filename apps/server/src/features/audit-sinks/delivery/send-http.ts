// Sends lines or a checkpoint in a signed POST request.
import { post } from "@strongroom/connectors";
import type { AuditSinkConfig } from "@strongroom/contract";
import { createHmac } from "node:crypto";
import type { SinkSecrets } from "../sink-secrets.ts";
import { envelopeContextOf } from "../context.ts";
import type { Outcome, AuditSinkContext } from "../context.ts";

export interface HttpBatch {
  type: string;
  body: string;
  /** An id derived from the content, so that a receiver can drop duplicates. */
  delivery: string;
}

export async function sendHttp(
  context: AuditSinkContext,
  config: Extract<AuditSinkConfig, { kind: "http" }>,
  secrets: SinkSecrets,
  { type, body, delivery }: HttpBatch,
  signal: AbortSignal,
): Promise<Outcome> {
  const timestamp = String(Math.floor(context.kernel.clock.now().getTime() / 1000));
  const headers: Record<string, string> = {
    "content-type": type,
    "strongroom-delivery": delivery,
    "strongroom-timestamp": timestamp,
  };
  const { hmac_key: key, authorization } = secrets;
  if (key !== undefined) headers["strongroom-signature"] = `sha256=${signatureOf(key, timestamp, body)}`;
  if (authorization !== undefined) headers["authorization"] = authorization;
  const { answer, message } = await post(
    { url: config.url, headers, body, ca: config.ca },
    envelopeContextOf(context, signal),
  );
  return { isTaken: answer !== null && answer.status >= 200 && answer.status < 300, message };
}

/** Covers the timestamp too, so that a receiver can refuse replayed requests. */
export const signatureOf = (key: string, timestamp: string, body: string): string =>
  createHmac("sha256", key).update(`${timestamp}.${body}`, "utf8").digest("hex");
