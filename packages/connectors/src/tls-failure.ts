// The reasons why TLS was not established, distinguished by Node's error codes.
import type { Failure, TlsReason } from "./connector.ts";
import { codeOf, nameOf, type Endpoint } from "./dial.ts";
import { tlsFailed } from "./finding.ts";

const REASONS = new Map<string, TlsReason>([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "self-signed"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unknown-issuer"],
  ["UNABLE_TO_GET_ISSUER_CERT", "unknown-issuer"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unknown-issuer"],
  ["CERT_UNTRUSTED", "unknown-issuer"],
  ["INVALID_CA", "unknown-issuer"],
  ["CERT_SIGNATURE_FAILURE", "unknown-issuer"],
  ["CERT_HAS_EXPIRED", "expired"],
  ["CERT_NOT_YET_VALID", "not-yet-valid"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "name-mismatch"],
  ["HOSTNAME_MISMATCH", "name-mismatch"],
  ["CERT_REVOKED", "revoked"],
  ["EPROTO", "handshake"],
]);

const WORDS: Record<TlsReason, string> = {
  "not-offered": "does not offer TLS. Nothing was sent unencrypted. Enable TLS there, or disable SSL/TLS here.",
  "self-signed": 'uses a self-signed certificate. To trust it, paste it into the additional parameter "ca".',
  "unknown-issuer":
    'uses a certificate whose issuer is not trusted. Paste the certificate of the issuer into the additional parameter "ca".',
  expired: "uses a certificate that has expired.",
  "not-yet-valid": "uses a certificate that is not valid yet. Check the clocks.",
  "name-mismatch":
    'uses a certificate for a different name. Use the name in it as the host, or as the additional parameter "servername".',
  revoked: "uses a certificate that was revoked.",
  handshake: "could not agree on a TLS version or cipher with Strongroom, or does not use TLS on this port.",
};

/** The TLS failure for an error from `tls.connect`, or null when it is not a TLS error. */
export function tlsFailure(error: unknown, endpoint: Endpoint): Failure | null {
  const code = codeOf(error);
  if (code === undefined) return null;
  const reason = REASONS.get(code) ?? (code.startsWith("ERR_SSL_") ? "handshake" : undefined);
  return reason === undefined ? null : tlsRefusal(reason, endpoint);
}

export function tlsRefusal(reason: TlsReason, endpoint: Endpoint): Failure {
  return tlsFailed(reason, `${nameOf(endpoint)} ${WORDS[reason]}`);
}
