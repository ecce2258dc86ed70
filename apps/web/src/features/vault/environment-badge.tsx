// The environment of a credential, coloured by its risk (VAULT-08).
import type { Credential } from "@strongroom/contract";
import { Tag } from "#shared/ui/tag.tsx";
import { ENVIRONMENT_TONES, environmentLabel } from "./credential-labels.ts";

export function EnvironmentBadge({ credential }: { credential: Pick<Credential, "environment"> }) {
  return <Tag tone={ENVIRONMENT_TONES[credential.environment]}>{environmentLabel(credential.environment)}</Tag>;
}
