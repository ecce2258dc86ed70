// Formats pinned and presented SSH host keys.
import type { Credential } from "@strongroom/contract";
import type { HostKey, SecretRow } from "./secrets.store.ts";

/** The pinned and the presented host key, in a form that users can compare; null when there is no alarm. */
export function hostKeyAlarm({
  host_key,
  offered_host_key,
}: Pick<SecretRow, "host_key" | "offered_host_key">): Credential["host_key_alarm"] {
  if (host_key === null || offered_host_key === null) return null;
  return { expected: hostKeyText(host_key), presented: hostKeyText(offered_host_key) };
}

/** The fingerprint in OpenSSH format: `ssh-ed25519 SHA256:…`. */
export const hostKeyText = ({ type, fingerprint }: HostKey): string => `${type} ${fingerprint}`;
