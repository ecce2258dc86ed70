// The encryption settings of a connection, read from `ssl_enabled`, the connection string and the additional
// parameters.
import { X509Certificate } from "node:crypto";
import type { ParameterField } from "@strongroom/contract";
import type { Failure, Target } from "./connector.ts";
import { misconfigured } from "./finding.ts";
import { pemBlocks } from "./private-key/pem.ts";

/**
 * `require` encrypts without checking the certificate, `verify-ca` checks its issuer, `verify-full` its name too.
 * Modes that fall back to an unencrypted connection do not exist here.
 */
export type TlsMode = "disable" | "require" | "verify-ca" | "verify-full";

export interface TlsSettings {
  mode: TlsMode;
  /** PEM certificates to trust instead of Node's list. */
  ca: string | null;
  /** The name that the certificate must have, if it differs from the host. */
  name: string | null;
  /** Presented to a server that requests a client certificate: PEM, the key without a passphrase. */
  client?: { certificate: string; privateKey: string } | null;
}

/**
 * INVARIANT: a secret goes out in clear text only over TLS to a server whose certificate was checked. Methods that only
 * prove knowledge of the secret (SCRAM, challenge and response) may run without TLS.
 */
export function mayCarryClearText({ mode }: TlsSettings): boolean {
  return mode === "verify-ca" || mode === "verify-full";
}

/**
 * Appended to the message about a changed password. A server does not store the password itself, but its stored form
 * and an intercepted login together are enough to log in.
 */
export function unencryptedHint({ mode }: Pick<TlsSettings, "mode">): string {
  return mode === "disable"
    ? " The connection was not encrypted: an eavesdropper may have learned enough to log in. Enable SSL/TLS."
    : "";
}

/** The names that libpq and the MySQL clients use. */
const MODES = new Map<string, TlsMode>([
  ["disable", "disable"],
  ["disabled", "disable"],
  ["require", "require"],
  ["required", "require"],
  ["verify-ca", "verify-ca"],
  ["verify_ca", "verify-ca"],
  ["verify-full", "verify-full"],
  ["verify_identity", "verify-full"],
]);

/**
 * `modeInString` is the mode in the connection string, or null. If no mode is set, `ssl_enabled` means `verify-full`.
 */
export function tlsSettings(target: Target, modeInString: string | null): TlsSettings | { failure: Failure } {
  const { sslmode = null, ca = null, servername = null } = target.additionalParams;
  const named = modeInString ?? sslmode;
  const mode = typeof named === "string" ? MODES.get(named.toLowerCase()) : null;
  if (mode === undefined || (mode === null && named !== null)) {
    return refuse(
      "The TLS mode (sslmode) must be disable, require, verify-ca or verify-full. Modes that may fall back to an unencrypted connection are not supported.",
    );
  }
  if (mode === "disable" && target.sslEnabled) {
    return refuse("SSL/TLS is enabled, but sslmode is disable. Change one of them.");
  }
  if (ca !== null && !isPemCertificate(ca))
    return refuse('The additional parameter "ca" must be a certificate in PEM format.');
  if (servername !== null && !isName(servername))
    return refuse('The additional parameter "servername" must be a host name or an address.');
  return { mode: mode ?? (target.sslEnabled ? "verify-full" : "disable"), ca, name: servername };
}

/** For connectors that read certificates but have no TLS mode. */
export const CERTIFICATE_PARAMETERS: readonly ParameterField[] = [
  {
    kind: "lines",
    name: "ca",
    label: "Trusted certificates (PEM)",
    help: "Trusted instead of the public certificate authorities",
    placeholder: "-----BEGIN CERTIFICATE-----",
    is_advanced: true,
  },
  {
    kind: "text",
    name: "servername",
    label: "Name in the certificate",
    help: "Needed if it is not the host",
    max_length: 253,
    pattern: { source: "[A-Za-z0-9_.:\\-]+", message: "Enter a host name or an address" },
    is_advanced: true,
  },
];

const CHECKED_MODES = [
  { value: "verify-full", label: "Check certificate and name (verify-full)" },
  { value: "verify-ca", label: "Check certificate only (verify-ca)" },
];

/** The parameters of a connector that can work without TLS, for its description. */
export const TLS_PARAMETERS: readonly ParameterField[] = [
  {
    kind: "choice",
    name: "sslmode",
    label: "TLS mode",
    placeholder: "Use the SSL/TLS setting",
    options: [
      ...CHECKED_MODES,
      { value: "require", label: "Encrypt without checking the certificate (require)" },
      { value: "disable", label: "No encryption (disable)" },
    ],
  },
  ...CERTIFICATE_PARAMETERS,
];

/** The parameters of a connector that always requires TLS with a checked certificate. */
export const REQUIRED_TLS_PARAMETERS: readonly ParameterField[] = [
  {
    kind: "choice",
    name: "sslmode",
    label: "TLS mode",
    placeholder: "Check certificate and name (default)",
    options: CHECKED_MODES,
    is_advanced: true,
  },
  ...CERTIFICATE_PARAMETERS,
];

/** Like `REQUIRED_TLS_PARAMETERS`, for a connector that uses TLS only when the entry says so. */
export const CHOSEN_TLS_PARAMETERS: readonly ParameterField[] = [
  {
    kind: "choice",
    name: "sslmode",
    label: "TLS mode",
    placeholder: "Use the SSL/TLS setting",
    options: CHECKED_MODES,
    initial: "verify-full",
  },
  ...CERTIFICATE_PARAMETERS,
];

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[a-z0-9_.:-]{1,253}$/i.test(value);
}

/** True for one or more certificates that are all readable; Node silently skips damaged ones. */
export function isPemCertificate(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const blocks = pemBlocks(value);
  try {
    return blocks.length > 0 && blocks.every(({ pem }) => new X509Certificate(pem).raw.length > 0);
  } catch {
    // node:crypto cannot check this before parsing.
    return false;
  }
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
