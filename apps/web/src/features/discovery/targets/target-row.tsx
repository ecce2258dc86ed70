// One discovery target as a row with all of its details: the default for up to 20 targets.
import { Button, Checkbox } from "@mantine/core";
import { IconServer2 } from "@tabler/icons-react";
import type { DiscoveryTarget } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import { ComingTime, RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail } from "#shared/ui/row-list.tsx";
import { RowMenu } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { SCAN_BADGES, methodLabel } from "../discovery-labels.ts";
import { mainActions, menuActions, type TargetHandlers } from "./target-actions.ts";
import { TargetHostKey } from "./target-host-key.tsx";
import { isSelectable } from "./use-target-selection.ts";

interface LastScanProps {
  label: string;
  scan: NonNullable<DiscoveryTarget["last_enhanced_scan"]>;
}

function LastScan({ label, scan }: LastScanProps) {
  return (
    <>
      {`${label}: ${SCAN_BADGES[scan.status].label}`}
      {scan.completed_at !== null && (
        <>
          {" "}
          <RelativeTime moment={scan.completed_at} isInSentence />
        </>
      )}
    </>
  );
}

export interface TargetRowProps {
  target: DiscoveryTarget;
  handlers: TargetHandlers;
  isSelected: boolean;
  onSelect: (id: string, isSelected: boolean) => void;
}

export function TargetRow({ target, handlers, isSelected, onSelect }: TargetRowProps) {
  const { last_scan: last, last_enhanced_scan: enhanced, settings } = target;
  return (
    <Row
      icon={
        isSelectable(target) ? (
          <Checkbox
            aria-label={`Select ${target.name}`}
            checked={isSelected}
            onChange={({ currentTarget }) => onSelect(target.id, currentTarget.checked)}
          />
        ) : (
          <IconServer2 size={18} aria-hidden />
        )
      }
      isOver={!target.is_active}
      name={
        <>
          <span>{target.name}</span>
          <Tag>{target.target_type.toUpperCase()}</Tag>
          {!target.is_active && <StatusBadge status="inactive" />}
        </>
      }
      actions={
        target.can_manage && (
          <>
            {mainActions(target, handlers).map(({ label, name, icon: ActionIcon, isDisabled, onClick }) => (
              <Button
                key={label}
                size="compact-sm"
                variant="default"
                aria-label={name}
                leftSection={<ActionIcon size={15} aria-hidden />}
                disabled={isDisabled}
                onClick={onClick}
              >
                {label}
              </Button>
            ))}
            <RowMenu name={target.name} actionsOf={() => menuActions(target, handlers)} />
          </>
        )
      }
    >
      <RowDetail>
        {`${target.hostname}:${settings.port} · ${methodLabel(target.target_type)} · Safe ${target.safe_name}`}
      </RowDetail>
      {last === null && enhanced === null && <RowDetail>Never scanned</RowDetail>}
      {last !== null && (
        <RowDetail>
          <LastScan label="Last scan" scan={last} />
          {last.accounts_discovered !== null && ` · ${counted(last.accounts_discovered, "account")}`}
        </RowDetail>
      )}
      {enhanced !== null && (
        <RowDetail>
          <LastScan label="Last enhanced scan" scan={enhanced} />
        </RowDetail>
      )}
      {target.next_scan_at !== null && (
        <RowDetail>
          Next scan <ComingTime moment={target.next_scan_at} />
        </RowDetail>
      )}
      {target.description !== null && <RowDetail>{target.description}</RowDetail>}
      <TargetHostKey target={target} />
    </Row>
  );
}
