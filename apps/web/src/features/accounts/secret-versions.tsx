// The account's passwords over time, without any of them: when, why, by whom; earlier ones can be copied by who may.
import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import type { Account, SecretVersion } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useNow } from "#shared/format/now.ts";
import { nearTime } from "#shared/format/time.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./account-detail-page.module.css";
import { canRetrieve } from "./account-words.ts";
import { secretVersions } from "./accounts.queries.ts";
import { copyKey } from "./use-password-copy.tsx";

const REASONS: Record<SecretVersion["reason"], string> = {
  created: "Stored with the account",
  edited: "Replaced by hand",
  rotated: "Rotated",
  reconciled: "Reconciled",
  imported: "Imported from a file",
};

export interface SecretVersionsProps {
  account: Account;
  copying: string | null;
  onCopy: (version: number) => void;
}

export function SecretVersions({ account, copying, onCopy }: SecretVersionsProps) {
  const versions = useQuery(secretVersions(account.id));
  return (
    <SectionCard title="Secret History" description="Each retrieval of an earlier password is recorded, too.">
      <Loaded query={versions}>
        {(data) => (
          <ol className={classes.versions} aria-label="Versions" reversed>
            {data.versions.map((version) => (
              <Version
                key={version.version}
                version={version}
                mayCopy={mayCopy(account, version)}
                isCopying={copying === copyKey(account.id, version.version)}
                onCopy={() => onCopy(version.version)}
              />
            ))}
          </ol>
        )}
      </Loaded>
    </SectionCard>
  );
}

/** What may come into force next is for those who manage the secret, and not while that is being found out. */
function mayCopy(account: Account, { is_candidate: isCandidate }: SecretVersion): boolean {
  const { open_rotation: rotation, my_permissions: permissions } = account;
  const isSettled = rotation === null || rotation.state === "attention";
  return canRetrieve(account) && (!isCandidate || (isSettled && permissions.includes("manage_secret")));
}

interface VersionProps {
  version: SecretVersion;
  mayCopy: boolean;
  isCopying: boolean;
  onCopy: () => void;
}

function Version({ version, mayCopy, isCopying, onCopy }: VersionProps) {
  const now = useNow();
  const { version: number, reason, is_candidate: isCandidate, created_at: since, retired_at: until } = version;
  const isInForce = until === null && !isCandidate;
  return (
    <li className={classes.version}>
      <Tag tone={isInForce ? "success" : isCandidate ? "warning" : "neutral"}>
        {isInForce ? `Version ${number}, in force` : `Version ${number}`}
      </Tag>
      <span className={classes.versionWords}>
        {isCandidate ? "Made for a rotation, never proved; kept" : `${REASONS[reason]} by ${version.created_by}`}{" "}
        <span className={classes.versionTime}>
          <RelativeTime moment={since} />
          {until !== null && `, until ${nearTime(until, now)}`}
        </span>
      </span>
      {!isInForce && mayCopy && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconCopy size={15} aria-hidden />}
          aria-label={`Copy version ${number}`}
          loading={isCopying}
          onClick={onCopy}
        >
          Copy
        </Button>
      )}
    </li>
  );
}
