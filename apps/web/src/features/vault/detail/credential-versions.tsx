// The versions of a credential's secret; earlier and candidate versions can be copied.
import type { Credential } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { SecretVersionList } from "#shared/rotation/secret-version-list.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { credentialVersions } from "../credentials.queries.ts";

export interface CredentialVersionsProps {
  id: Credential["id"];
  /** The version being copied. */
  copying: number | null;
  onCopy: (version: number) => void;
}

export function CredentialVersions({ id, copying, onCopy }: CredentialVersionsProps) {
  const versions = useQuery(credentialVersions(id));
  return (
    <SectionCard title="Secret History" description="Copying an earlier secret is recorded in the audit trail.">
      <Loaded query={versions}>
        {(data) => (
          <SecretVersionList
            versions={data.versions}
            mayCopy={() => true}
            isCopying={({ version }) => copying === version}
            onCopy={onCopy}
          />
        )}
      </Loaded>
    </SectionCard>
  );
}
