// How connectors reach the API of a cloud: over verified TLS, at the cloud's own addresses or at another one.
import type { ParameterField } from "@strongroom/contract";
import type { Failure, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";
import { CERTIFICATE_PARAMETERS, tlsSettings, type TlsSettings } from "../tls-settings.ts";

/** `whose`: in the possessive, such as "AWS's". */
export const connectionParameters = (whose: string, placeholder: string): ParameterField[] => [
  {
    kind: "text",
    name: "endpoint",
    label: "Endpoint",
    help: `Used instead of ${whose} own addresses`,
    placeholder,
    pattern: { source: "https://.+", message: "Enter a URL that begins with https://" },
    is_advanced: true,
  },
  ...CERTIFICATE_PARAMETERS,
];

export interface CloudConnection {
  tls: TlsSettings;
  /** The origin of the additional parameter `endpoint`; null for the cloud's own addresses. */
  endpoint: string | null;
}

export function cloudConnection(target: Target, cloud: string): CloudConnection | { failure: Failure } {
  const { endpoint = null } = target.additionalParams;
  const tls = tlsSettings({ ...target, sslEnabled: true }, null);
  if ("failure" in tls) return tls;
  if (tls.mode !== "verify-full")
    return badInput(`${cloud} requires TLS with a verified certificate. Use sslmode verify-full.`);
  if (endpoint === null) return { tls, endpoint };
  const url = typeof endpoint === "string" ? URL.parse(endpoint) : null;
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "" || url.search !== "")
    return badInput('The additional parameter "endpoint" must be a URL that begins with https://.');
  return { tls, endpoint: url.origin };
}

export function badInput(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
