// Where a credential belongs, in the colour of how careful one has to be there (VAULT-08).
import type { Credential } from "@strongroom/contract";
import { Tag } from "#shared/ui/tag.tsx";
import { ENVIRONMENT_TONES, environmentLabel } from "./credential-words.ts";

export function EnvironmentBadge({ credential }: { credential: Pick<Credential, "environment"> }) {
  return <Tag tone={ENVIRONMENT_TONES[credential.environment]}>{environmentLabel(credential.environment)}</Tag>;
}
