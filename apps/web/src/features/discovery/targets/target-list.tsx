// The Discovery Targets tab (DISC-10).
import { Button } from "@mantine/core";
import { IconPencil, IconRadar2, IconServer2, IconTrash } from "@tabler/icons-react";
import type { DiscoveryTarget } from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType, type ReactNode } from "react";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { METHOD_LABELS, SCAN_BADGES, isOpen } from "../discovery-labels.ts";
import { targetDeletion, targetList } from "../discovery.queries.ts";
import { StartScanDialog } from "../scans/start-scan-dialog.tsx";
import { EditTargetDialog } from "./target-dialog.tsx";

type DialogName = "scan" | "edit" | "delete";

export interface TargetListProps {
  addButton: ReactNode;
  /** Another action on each target that the user can manage (DISC-10). */
  TargetAction: ComponentType<{ target: DiscoveryTarget }> | undefined;
}

export function TargetList({ addButton, TargetAction }: TargetListProps) {
  const list = useInfiniteQuery(targetList);
  const [chosen, setChosen] = useState<DiscoveryTarget | null>(null);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const open = (target: DiscoveryTarget, name: DialogName) => {
    setChosen(target);
    setDialog(name);
  };
  const propsOf = (name: DialogName) => ({ opened: dialog === name, onClose: () => setDialog(null) });
  return (
    <>
      <Loaded query={list}>
        {({ pages }) => {
          const targets = pages.flatMap(({ data }) => data);
          if (targets.length === 0) {
            return (
              <EmptyState
                icon={IconRadar2}
                title="No Discovery Targets"
                text="A target is a system whose accounts Strongroom lists, such as a Linux host or a database."
                action={addButton}
              />
            );
          }
          return (
            <>
              <RowList label="Discovery targets">
                {targets.map((target) => (
                  <TargetRow key={target.id} target={target} onOpen={open} TargetAction={TargetAction} />
                ))}
              </RowList>
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
      {chosen !== null && (
        <div key={chosen.id}>
          <StartScanDialog target={chosen} {...propsOf("scan")} />
          <EditTargetDialog target={chosen} {...propsOf("edit")} />
          <DeleteTargetDialog target={chosen} {...propsOf("delete")} />
        </div>
      )}
    </>
  );
}

interface TargetRowProps {
  target: DiscoveryTarget;
  onOpen: (target: DiscoveryTarget, dialog: DialogName) => void;
  TargetAction: TargetListProps["TargetAction"];
}

function TargetRow({ target, onOpen, TargetAction }: TargetRowProps) {
  const { last_scan: last, settings } = target;
  const isScanning = last !== null && isOpen(last.status);
  return (
    <Row
      icon={<IconServer2 size={18} aria-hidden />}
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
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Scan ${target.name}`}
              leftSection={<IconRadar2 size={15} aria-hidden />}
              disabled={!target.is_active || isScanning}
              onClick={() => onOpen(target, "scan")}
            >
              Scan
            </Button>
            {TargetAction !== undefined && <TargetAction target={target} />}
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Edit ${target.name}`}
              leftSection={<IconPencil size={15} aria-hidden />}
              onClick={() => onOpen(target, "edit")}
            >
              Edit
            </Button>
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              aria-label={`Delete ${target.name}`}
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => onOpen(target, "delete")}
            >
              Delete
            </Button>
          </>
        )
      }
    >
      <RowDetail>
        {`${target.hostname}:${settings.port} · ${METHOD_LABELS[target.connection_method]} · Safe ${target.safe_name}`}
      </RowDetail>
      <RowDetail>
        {last === null ? (
          "Never scanned"
        ) : (
          <>
            {`Last scan: ${SCAN_BADGES[last.status].label}`}
            {last.completed_at !== null && (
              <>
                {" "}
                <RelativeTime moment={last.completed_at} />
              </>
            )}
            {last.accounts_discovered !== null && ` · ${counted(last.accounts_discovered, "account")}`}
          </>
        )}
      </RowDetail>
      {target.description !== null && <RowDetail>{target.description}</RowDetail>}
    </Row>
  );
}

interface DeleteTargetDialogProps {
  target: DiscoveryTarget;
  opened: boolean;
  onClose: () => void;
}

function DeleteTargetDialog({ target, ...props }: DeleteTargetDialogProps) {
  return (
    <DeleteDialog
      {...props}
      title="Delete Discovery Target"
      mutation={targetDeletion(useQueryClient(), target.id)}
      done="Discovery target deleted successfully"
      failed="Failed to delete discovery target"
    >
      <p>
        Delete <strong>{target.name}</strong>, its scans and the accounts that they found? Accounts in safes stay. This
        cannot be undone.
      </p>
    </DeleteDialog>
  );
}
