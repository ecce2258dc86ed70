// The request that a check of a token describes, sent once with the header that carries it or without.
import type { Attempt } from "../attempt.ts";
import type { Failure } from "../connector.ts";
import { exchange } from "../http-exchange.ts";
import type { TlsSettings } from "../tls-settings.ts";
import type { TokenCheck } from "./check.ts";

/** The status of the answer. `authorization` is the header's value; null sends the request without it. */
export async function statusOf(
  { url, method, header }: TokenCheck,
  authorization: string | null,
  tls: TlsSettings,
  attempt: Attempt,
): Promise<{ status: number } | { failure: Failure }> {
  return exchange({ url, method, headers: authorization === null ? {} : { [header]: authorization } }, tls, attempt);
}
