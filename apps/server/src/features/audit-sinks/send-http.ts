// Lines or a checkpoint by a signed POST.
import { post } from "@strongroom/connectors";
import type { AuditSinkConfig } from "@strongroom/contract";
import { createHmac } from "node:crypto";
import type { SinkSecrets } from "./sink-secrets.ts";
import { contextOf } from "./site.ts";
import type { Outcome, Site } from "./site.ts";

export interface Parcel {
  type: string;
  body: string;
  /** The same for the same content: a receiver that saw it before may drop it. */
  delivery: string;
}

export async function sendHttp(
  site: Site,
  config: Extract<AuditSinkConfig, { kind: "http" }>,
  secrets: SinkSecrets,
  { type, body, delivery }: Parcel,
  signal: AbortSignal,
): Promise<Outcome> {
  const timestamp = String(Math.floor(site.kernel.clock.now().getTime() / 1000));
  const headers: Record<string, string> = {
    "content-type": type,
    "strongroom-delivery": delivery,
    "strongroom-timestamp": timestamp,
  };
  const { hmac_key: key, authorization } = secrets;
  if (key !== undefined) headers["strongroom-signature"] = `sha256=${signatureOf(key, timestamp, body)}`;
  if (authorization !== undefined) headers["authorization"] = authorization;
  const { answer, message } = await post({ url: config.url, headers, body, ca: config.ca }, contextOf(site, signal));
  return { isTaken: answer !== null && answer.status >= 200 && answer.status < 300, message };
}

/** Over the time too, so that a receiver can refuse what somebody sends again later. */
export const signatureOf = (key: string, timestamp: string, body: string): string =>
  createHmac("sha256", key).update(`${timestamp}.${body}`, "utf8").digest("hex");
