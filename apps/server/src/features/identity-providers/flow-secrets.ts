// All that one sign-in with an OpenID Connect provider checks, derived from the one secret in the browser's cookie.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { beginOidc } from "@strongroom/contract";
import type { Kernel } from "#kernel/kernel.ts";
import { FLOW_LIFE } from "./identity-providers.policy.ts";

/** INVARIANT: without the cookie nobody can finish a sign-in, whatever they read in an address or in the database. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  /** RFC 7636: 43 characters. */
  verifier: string;
  /** Under which the flow is stored. */
  hash: Buffer;
}

export const FLOW_COOKIE = "strongroom_oidc";

export const newFlowSecret = (): string => randomBytes(32).toString("base64url");

export function flowSecrets(secret: string): FlowSecrets {
  const derived = (what: string) => createHmac("sha256", secret).update(`strongroom oidc ${what}`).digest("base64url");
  return {
    state: derived("state"),
    nonce: derived("nonce"),
    verifier: derived("verifier"),
    hash: createHash("sha256").update(secret).digest(),
  };
}

/**
 * As the value of `Set-Cookie`. Strict is enough, because it is our own page that sends it: no other site can make the
 * browser use it, and the provider's redirect does not need it.
 */
export function flowCookie(kernel: Pick<Kernel, "publicUrl">, secret: string): string {
  return [
    `${FLOW_COOKIE}=${secret}`,
    `Path=${beginOidc.path.slice(0, beginOidc.path.indexOf("/:"))}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(kernel.publicUrl().startsWith("https:") ? ["Secure"] : []),
    `Max-Age=${FLOW_LIFE / 1000}`,
  ].join("; ");
}
