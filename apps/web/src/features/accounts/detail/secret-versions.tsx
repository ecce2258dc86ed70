// The versions of an account's password; users with permission can copy earlier ones.
import type { Account, SecretVersion } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { SecretVersionList } from "#shared/rotation/secret-version-list.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { canRetrieve } from "../account-labels.ts";
import { secretVersions } from "../accounts.queries.ts";
import { copyKey } from "../actions/use-password-copy.tsx";

export interface SecretVersionsProps {
  account: Account;
  copying: string | null;
  onCopy: (version: number) => void;
}

export function SecretVersions({ account, copying, onCopy }: SecretVersionsProps) {
  const versions = useQuery(secretVersions(account.id));
  return (
    <SectionCard title="Secret History" description="Retrieving an earlier password is recorded in the audit trail.">
      <Loaded query={versions}>
        {(data) => (
          <SecretVersionList
            versions={data.versions}
            mayCopy={(version) => mayCopy(account, version)}
            isCopying={({ version }) => copying === copyKey(account.id, version)}
            onCopy={onCopy}
          />
        )}
      </Loaded>
    </SectionCard>
  );
}

/** Only secret managers may copy a candidate secret, and only while no rotation is running. */
function mayCopy(account: Account, { is_candidate: isCandidate }: SecretVersion): boolean {
  const { open_rotation: rotation, my_permissions: permissions } = account;
  const isSettled = rotation === null || rotation.state === "attention";
  return canRetrieve(account) && (!isCandidate || (isSettled && permissions.includes("manage_secret")));
}
