// The certificate that an endpoint presents in the TLS handshake.
import type { X509Certificate } from "node:crypto";
import type { Attempt } from "../attempt.ts";
import type { Failure } from "../connector.ts";
import { dial, nameOf } from "../dial.ts";
import type { Endpoint } from "../dial.ts";
import { startTls } from "../start-tls.ts";
import { tlsRefusal } from "../tls-failure.ts";
import type { TlsSettings } from "../tls-settings.ts";

/** Accepts any certificate and issuer: the caller compares it with the expected one. Nothing else is sent. */
export async function shownAt(
  endpoint: Endpoint,
  settings: TlsSettings,
  current: Attempt,
): Promise<{ certificate: X509Certificate } | { failure: Failure }> {
  const dialled = await dial(endpoint, current);
  if ("failure" in dialled) return dialled;
  current.waitFor(`${nameOf(endpoint)} to present its certificate`);
  const secured = await startTls(dialled.stream, { ...settings, mode: "require" }, endpoint);
  if ("failure" in secured) return secured;
  const certificate = secured.stream.getPeerX509Certificate();
  secured.stream.destroy();
  return certificate === undefined ? { failure: tlsRefusal("handshake", endpoint) } : { certificate };
}
