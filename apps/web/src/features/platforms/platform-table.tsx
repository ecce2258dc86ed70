// The table of platforms, for comparing their verification, rotation and access policies.
import { ActionIcon, Table, VisuallyHidden } from "@mantine/core";
import { IconCopy, IconPencil, IconTrash, type Icon } from "@tabler/icons-react";
import { canRotateOn, type Platform } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import {
  ONE_TIME_UNSUPPORTED,
  approvalsText,
  accessTags,
  rotationText,
  systemLabel,
  verificationText,
  windowText,
} from "./platform-labels.ts";
import { platformCapabilities } from "./platforms.queries.ts";
import classes from "./platforms.module.css";
import { ReconcileReadiness } from "./reconcile-readiness.tsx";

export type PlatformDialog = "edit" | "duplicate" | "delete";
type Open = (dialog: PlatformDialog, platform: Platform) => void;

export interface PlatformTableProps {
  platforms: readonly Platform[];
  /** Null makes the table read-only. */
  onOpen: Open | null;
}

export function PlatformTable({ platforms, onOpen }: PlatformTableProps) {
  return (
    <div className={classes.panel}>
      <Table verticalSpacing="xs" horizontalSpacing={8} highlightOnHover layout="fixed" aria-label="Platforms">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Platform</Table.Th>
            <Table.Th className={classes.system}>System</Table.Th>
            <Table.Th className={classes.policy}>Verification</Table.Th>
            <Table.Th className={classes.policy}>Rotation</Table.Th>
            <Table.Th className={classes.access}>Access</Table.Th>
            <Table.Th className={classes.accounts}>Accounts</Table.Th>
            {onOpen !== null && (
              <Table.Th className={classes.menu}>
                <VisuallyHidden component="span">Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {platforms.map((platform) => (
            <PlatformRow key={platform.id} platform={platform} onOpen={onOpen} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function PlatformRow({ platform, onOpen }: { platform: Platform; onOpen: Open | null }) {
  const { name, description, is_active: isActive, account_count: accounts } = platform;
  return (
    <Table.Tr>
      <Table.Td>
        <span className={classes.name}>{name}</span> {!isActive && <StatusBadge status="inactive" />}
        {description !== null && (
          <p className={classes.hint} title={description}>
            {description}
          </p>
        )}
        <ReconcileReadiness platform={platform} />
        <p className={classes.narrowOnly}>
          {systemLabel(platform.system_type)}
          <span className={classes.policies}>
            {" "}
            · Verification: {lowerFirst(verificationText(platform))} · Rotation: {lowerFirst(rotationText(platform))} ·
            Approvals: {lowerFirst(approvalsText(platform))}
          </span>
        </p>
      </Table.Td>
      <Table.Td className={classes.system}>
        {systemLabel(platform.system_type)}
        <p className={classes.hint}>{platform.connection_method}</p>
      </Table.Td>
      <Table.Td className={classes.policy}>{verificationText(platform)}</Table.Td>
      <Table.Td className={classes.policy}>
        {rotationText(platform)}
        {windowText(platform) !== null && <p className={classes.hint}>{windowText(platform)}</p>}
      </Table.Td>
      <Table.Td className={classes.access}>
        <Conditions platform={platform} />
      </Table.Td>
      <Table.Td className={classes.accounts}>
        {accounts === 0 ? (
          <span className={classes.none}>0</span>
        ) : (
          <Link to={paths.accountsOn(platform.id)} aria-label={`${accounts} accounts on ${name}`}>
            {accounts.toLocaleString()}
          </Link>
        )}
      </Table.Td>
      {onOpen !== null && (
        <Table.Td className={classes.menu}>
          <div className={classes.signs}>
            <Sign label={`Edit ${name}`} icon={IconPencil} onClick={() => onOpen("edit", platform)} />
            <Sign label={`Duplicate ${name}`} icon={IconCopy} onClick={() => onOpen("duplicate", platform)} />
            <Sign label={`Delete ${name}`} icon={IconTrash} onClick={() => onOpen("delete", platform)} />
          </div>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function Conditions({ platform }: { platform: Platform }) {
  const { data } = useQuery(platformCapabilities);
  const isIneffective = platform.one_time_password && data !== undefined && !canRotateOn(data.capabilities, platform);
  const tags = accessTags(platform);
  const asksApproval = platform.approvals_level_1 > 0;
  if (tags.length === 0 && !asksApproval) return <span className={classes.none}>No conditions</span>;
  return (
    <div className={classes.tags}>
      {asksApproval && <Tag tone="info">Approval: {approvalsText(platform)}</Tag>}
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {isIneffective && (
        <Tag tone="warning" title={ONE_TIME_UNSUPPORTED}>
          One-time password has no effect
        </Tag>
      )}
    </div>
  );
}

function Sign({ label, icon: SignIcon, onClick }: { label: string; icon: Icon; onClick: () => void }) {
  return (
    <ActionIcon aria-label={label} title={label} onClick={onClick}>
      <SignIcon size={16} aria-hidden />
    </ActionIcon>
  );
}
