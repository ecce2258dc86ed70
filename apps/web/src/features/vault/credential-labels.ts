// Labels and colours of credentials.
import { CREDENTIAL_TYPE_LABELS, type Credential, type Environment } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import type { Tone } from "#shared/ui/tone.ts";

/** VAULT-08; development uses neither the danger nor the warning colour. */
export const ENVIRONMENT_TONES: Record<Environment, Tone> = {
  production: "danger",
  staging: "warning",
  development: "neutral",
};

export const environmentLabel = (environment: Environment): string => capitalised(environment);

export const typeLabel = (credential: Pick<Credential, "type">): string => CREDENTIAL_TYPE_LABELS[credential.type];

/** "db.internal:5432", "db.internal", "[2001:db8::1]:22"; null without a host. */
export function addressOf({ host, port }: Pick<Credential, "host" | "port">): string | null {
  if (host === null) return null;
  if (port === null) return host;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Shown for a missing value. */
export const NONE = "Not set";
