// The secret versions of a credential or account, without the secrets: time, reason and user; some can be copied.
import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import type { SecretVersion } from "@strongroom/contract";
import { useNow } from "#shared/format/now.ts";
import { nearTime } from "#shared/format/time.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./secret-version-list.module.css";

const REASONS: Record<SecretVersion["reason"], string> = {
  created: "Stored at first",
  edited: "Replaced by hand",
  rotated: "Rotated",
  reconciled: "Reconciled",
  imported: "Imported from a file",
};

export interface SecretVersionListProps {
  versions: readonly SecretVersion[];
  /** Only for superseded versions; the active one is copied elsewhere. */
  mayCopy: (version: SecretVersion) => boolean;
  isCopying: (version: SecretVersion) => boolean;
  onCopy: (version: number) => void;
}

export function SecretVersionList({ versions, mayCopy, isCopying, onCopy }: SecretVersionListProps) {
  return (
    <ol className={classes.versions} aria-label="Versions" reversed>
      {versions.map((version) => (
        <Version
          key={version.version}
          version={version}
          mayCopy={mayCopy(version)}
          isCopying={isCopying(version)}
          onCopy={() => onCopy(version.version)}
        />
      ))}
    </ol>
  );
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
      <span className={classes.words}>
        {isCandidate ? "Made for a rotation, never proved; kept" : `${REASONS[reason]} by ${version.created_by}`}{" "}
        <span className={classes.time}>
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
