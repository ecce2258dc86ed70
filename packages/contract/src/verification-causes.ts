// Why verifications fail: the code of a failure in words, and what to do about it.
import { z } from "zod";
import { VERIFICATION_MEANINGS } from "./verification-status.ts";

interface Cause {
  /** A sentence without its full stop. It is true for each secret of the group. */
  text: string;
  advice: string;
}

/** By the code of a verification, or by the status of a failure without a code. */
const CAUSES: Record<string, Cause> = {
  "wrong-password": { text: "The target refuses the stored password", advice: "Rotate or store the right password." },
  "account-locked": { text: "The account is locked on the target", advice: "Unlock it, then verify again." },
  "account-expired": {
    text: "The account has expired on the target",
    advice: "Extend it, or delete the account here.",
  },
  "password-expired": { text: "The password has expired on the target", advice: "Rotate it." },
  "must-change": { text: "The target requires a new password", advice: "Rotate it." },
  "no-permission": { text: "The account may not log in on the target", advice: "Grant it the right to log in." },
  "certificate-expired": { text: "The certificate has expired", advice: "Store a new certificate." },
  "certificate-not-yet-valid": { text: "The certificate is not valid yet", advice: "Check its dates and the clock." },
  "dns-failure": {
    text: "The DNS name does not resolve",
    advice: "Correct the address, or check this server's name service.",
  },
  refused: { text: "The host refuses the connection", advice: "Check the port, and whether the service runs." },
  "no-route": { text: "There is no route to the host", advice: "Check the network and the firewall." },
  timeout: { text: "The host does not answer in time", advice: "Check the address and the firewall." },
  "connection-lost": { text: "The host closes the connection", advice: "Check the service and its log." },
  "too-many-connections": { text: "The host accepts no more connections", advice: "Raise its limit, or wait." },
  "not-ready": { text: "The service is starting or stopping", advice: "Wait, then verify again." },
  "rate-limited": { text: "The service limits the number of logins", advice: "Verify less often." },
  "server-error": { text: "The service reports an internal error", advice: "Check the service and its log." },
  "bad-input": { text: "The stored connection details are incomplete", advice: "Complete them." },
  "address-forbidden": {
    text: "The address is not allowed as a target",
    advice:
      "An operator can allow it: see STRONGROOM_ALLOWED_NETWORKS and STRONGROOM_ALLOW_LOOPBACK in the operations guide.",
  },
  "host-key-changed": {
    text: "The host key has changed",
    advice: "The connection may be intercepted. Compare the fingerprint before you accept the new key.",
  },
  "tls-failure": { text: "TLS cannot be established", advice: "Check the host's certificate and the trusted CAs." },
  "tls-required": { text: "The host accepts only TLS", advice: "Enable TLS." },
  "insecure-authentication": {
    text: "The host would receive the password unprotected",
    advice: "Enable TLS or a safer authentication method.",
  },
  "password-not-checked": { text: "The host lets anyone in without a password", advice: "Fix its configuration." },
  "method-not-offered": { text: "The host does not offer this way to log in", advice: "Change its configuration." },
  "second-factor": { text: "The host asks for a second factor", advice: "Exempt the account, or verify it manually." },
  "protocol-error": { text: "The host does not speak the expected protocol", advice: "Check the port and the type." },
  "no-such-database": { text: "The database does not exist", advice: "Correct the name of the database." },
  redirected: { text: "The service redirects to another address", advice: "Store the final address." },
  "unexpected-status": {
    text: "The service returns an unexpected response",
    advice: "Check the address of the login.",
  },
  "name-mismatch": { text: "The certificate is for another name", advice: "Correct the address, or renew it." },
  "key-mismatch": { text: "The private key does not match", advice: "Store the matching key." },
  "certificate-differs": { text: "The host presents another certificate", advice: "Store the current certificate." },
  "broken-chain": { text: "The certificate chain is incomplete", advice: "Store the intermediate certificates." },
  "secret-unreadable": {
    text: "The stored secret cannot be decrypted",
    advice: "Restore it from a backup, or store it again.",
  },
  rejected: { text: "The target refuses the login", advice: "Rotate or store the right secret." },
  unreachable: { text: "The target cannot be reached", advice: "Check the address and the network." },
  misconfigured: { text: "The settings do not allow a login", advice: "Check the connection details." },
};

/** The causes that a filter offers, in the order of their texts. */
export const VERIFICATION_CAUSES: readonly string[] = Object.keys(CAUSES).toSorted((a, b) =>
  CAUSES[a]!.text.localeCompare(CAUSES[b]!.text, "en"),
);

export const VerificationCause = z.string().regex(/^[a-z-]{1,50}$/);

/** The words for a cause. A code that this version does not know is shown unchanged. */
export function causeOf(cause: string): Cause {
  const known = CAUSES[cause];
  if (known !== undefined) return known;
  return { text: `The verification failed (${cause})`, advice: VERIFICATION_MEANINGS.failed };
}
