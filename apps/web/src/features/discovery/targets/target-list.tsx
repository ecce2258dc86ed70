// The Discovery Targets tab (DISC-10).
import { Button } from "@mantine/core";
import { IconCloudSearch, IconPencil, IconPower, IconRadar2, IconServer2, IconTrash } from "@tabler/icons-react";
import { hasAccounts, isCloud, type DiscoveryTarget } from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { useState, type ComponentType, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { choiceOf } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { HostKeyAlarm } from "#shared/ui/host-key-alarm.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { ComingTime, RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { SCAN_BADGES, isOpen, methodLabel } from "../discovery-labels.ts";
import { hostKeyAcceptance, targetDeletion, targetEdit, targetList, targetsBy } from "../discovery.queries.ts";
import { CloudDialog } from "../cloud/cloud-dialog.tsx";
import { StartScanDialog } from "../scans/start-scan-dialog.tsx";
import { EditTargetDialog } from "./target-dialog.tsx";
import { editOf, formOf } from "./target-form-values.ts";

type DialogName = "scan" | "cloud" | "edit" | "delete";

export interface TargetListProps {
  addButton: ReactNode;
  /** Another action on each target that the user can manage (DISC-10). */
  TargetAction: ComponentType<{ target: DiscoveryTarget }> | undefined;
}

export function TargetList({ addButton, TargetAction }: TargetListProps) {
  const [params] = useSearchParams();
  const active = choiceOf(params, "active", ["", "true", "false"]);
  const list = useInfiniteQuery(active === "" ? targetList : targetsBy({ active }));
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
                title="No discovery targets"
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
          <CloudDialog target={chosen} {...propsOf("cloud")} />
          <EditTargetDialog target={chosen} {...propsOf("edit")} />
          <DeleteTargetDialog target={chosen} {...propsOf("delete")} />
        </div>
      )}
    </>
  );
}

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
          <RelativeTime moment={scan.completed_at} />
        </>
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
  const { last_scan: last, last_enhanced_scan: enhanced, settings } = target;
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
            {hasAccounts(target.target_type) && (
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
            )}
            {isCloud(target.target_type) && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Find cloud resources of ${target.name}`}
                leftSection={<IconCloudSearch size={15} aria-hidden />}
                disabled={!target.is_active || isScanning}
                onClick={() => onOpen(target, "cloud")}
              >
                Resources
              </Button>
            )}
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
            <ActiveButton target={target} />
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
      <HostKeyChange target={target} />
    </Row>
  );
}

function HostKeyChange({ target }: { target: DiscoveryTarget }) {
  const { mutateAsync: accept } = useMutation(hostKeyAcceptance(useQueryClient(), target.id));
  const { host_key: pinned, offered_host_key: offered, can_manage: canManage } = target;
  if (pinned === null || offered === null || !canManage) return null;
  const textOf = ({ type, fingerprint }: NonNullable<DiscoveryTarget["host_key"]>) => `${type} ${fingerprint}`;
  return (
    <HostKeyAlarm
      host={target.hostname}
      alarm={{ expected: textOf(pinned), presented: textOf(offered) }}
      accept={accept}
    />
  );
}

/** Enables or disables a target without its form. */
function ActiveButton({ target }: { target: DiscoveryTarget }) {
  const { mutate, isPending } = useMutation(targetEdit(useQueryClient(), target.id));
  const verb = target.is_active ? "Disable" : "Enable";
  const change = () =>
    mutate(editOf({ ...formOf(target, ""), isActive: !target.is_active }), {
      onSuccess: () => toast.success(`Discovery target ${verb.toLowerCase()}d successfully`),
      onError: (error) => toast.error(messageOf(error), { title: `Failed to ${verb.toLowerCase()} discovery target` }),
    });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${verb} ${target.name}`}
      leftSection={<IconPower size={15} aria-hidden />}
      loading={isPending}
      onClick={change}
    >
      {verb}
    </Button>
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
