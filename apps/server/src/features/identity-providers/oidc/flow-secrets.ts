// Derives all secrets of one sign-in at an OpenID Connect provider from the secret in the browser's cookie.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { beginOidc } from "@strongroom/contract";
import type { Kernel } from "#kernel/kernel.ts";
import { FLOW_LIFETIME } from "../identity-providers.policy.ts";

/**
 * INVARIANT: only the browser with the cookie can finish a sign-in; knowing an address or the database is not enough.
 */
export interface FlowSecrets {
  state: string;
  nonce: string;
  /** RFC 7636: 43 characters. */
  verifier: string;
  /** The key under which the flow is stored. */
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
 * Returns the value of `Set-Cookie`. SameSite=Strict is enough, because our own page sends the cookie: no other site
 * can make the browser send it, and the provider's redirect does not need it.
 */
export function flowCookie(kernel: Pick<Kernel, "publicUrl">, secret: string): string {
  return [
    `${FLOW_COOKIE}=${secret}`,
    `Path=${beginOidc.path.slice(0, beginOidc.path.indexOf("/:"))}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(kernel.publicUrl().startsWith("https:") ? ["Secure"] : []),
    `Max-Age=${FLOW_LIFETIME / 1000}`,
  ].join("; ");
}
