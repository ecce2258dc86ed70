// The vault as a dense table: the default above 20 credentials. The sortable columns are those by which the server sorts.
import { IconCopy, IconEye, IconPencil, IconShieldCheck, IconTrash } from "@tabler/icons-react";
import { CREDENTIAL_SORT_FIELDS, type Credential } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { paths } from "#shared/paths.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { DataTable, type DataColumn } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { nextPageOf, type PagedList } from "#shared/ui/next-page.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { addressOf, typeLabel } from "../credential-labels.ts";
import { EnvironmentBadge } from "../environment-badge.tsx";
import { copyCredential } from "../use-copy-secret.ts";
import { startVerification } from "../verification/use-verify.ts";
import type { CardDialog } from "./credential-card.tsx";

const COLUMNS: readonly DataColumn<Credential>[] = [
  { id: "name", header: "Name", width: 10, grow: 2, cell: ({ name }) => name, title: ({ name }) => name },
  { id: "type", header: "Type", width: 7, cell: typeLabel, isRoomy: true },
  {
    id: "username",
    header: "Username",
    width: 7,
    cell: ({ username }) => username,
    title: ({ username }) => username ?? undefined,
    stacked: "line",
  },
  {
    id: "host",
    header: "Host",
    width: 10,
    grow: 2,
    cell: addressOf,
    title: (credential) => addressOf(credential) ?? undefined,
    stacked: "line",
  },
  {
    id: "environment",
    header: "Environment",
    width: 7,
    grow: 0,
    cell: (credential) => <EnvironmentBadge credential={credential} />,
    isRoomy: true,
    stacked: "badge",
  },
  {
    id: "verification",
    header: "Verification",
    width: 8,
    grow: 0,
    cell: ({ verification_status: status, host_key_alarm: alarm }) => (
      <VerificationBadge status={status} isHostKeyChanged={alarm !== null} />
    ),
    title: ({ verification_error }) => verification_error ?? undefined,
    stacked: "badge",
  },
  {
    id: "verified_at",
    header: "Last Verified",
    width: 6.5,
    grow: 0,
    cell: ({ verified_at }) => <RelativeTime moment={verified_at} />,
    isRoomy: true,
  },
  {
    id: "status",
    header: "Status",
    width: 6,
    grow: 0,
    cell: ({ status }) => <StatusBadge status={status} />,
    isOptional: true,
  },
  {
    id: "last_accessed",
    header: "Last Accessed",
    width: 7,
    grow: 0,
    cell: ({ last_accessed }) => <RelativeTime moment={last_accessed} />,
    isOptional: true,
  },
  {
    id: "created_at",
    header: "Created",
    width: 7,
    grow: 0,
    cell: ({ created_at }) => <RelativeTime moment={created_at} />,
    isOptional: true,
  },
];

export const CREDENTIAL_COLUMNS = sortableBy(CREDENTIAL_SORT_FIELDS, COLUMNS);

export interface CredentialTableProps {
  list: PagedList;
  credentials: readonly Credential[];
  settings: TableSettings;
  onOpen: (dialog: CardDialog, credential: Credential) => void;
}

const nameOf = ({ name }: Credential): string => name;
const linkOf = ({ id }: Credential): string => paths.credential(id);
const isAlarming = ({ host_key_alarm: alarm }: Credential): boolean => alarm !== null;

export function CredentialTable({ list, credentials, settings, onOpen }: CredentialTableProps) {
  const client = useQueryClient();
  const isPending = useIsPending();
  const actionsOf = useCallback(
    (credential: Credential): RowAction[] => {
      const open = (dialog: CardDialog) => () => onOpen(dialog, credential);
      return [
        ...(isPending
          ? []
          : [
              {
                label: "Verify Now",
                icon: IconShieldCheck,
                onClick: () => void startVerification(client, credential, "list"),
              },
            ]),
        { label: "Copy", icon: IconCopy, onClick: () => void copyCredential(client, credential.id) },
        { label: "Quick View", icon: IconEye, onClick: open("quick-view") },
        { label: "Edit", icon: IconPencil, onClick: open("edit") },
        { label: "Delete", icon: IconTrash, onClick: open("delete"), isDanger: true },
      ];
    },
    [client, isPending, onOpen],
  );
  return (
    <DataTable
      label="Credentials"
      rows={credentials}
      columns={CREDENTIAL_COLUMNS}
      settings={settings}
      nameOf={nameOf}
      linkOf={linkOf}
      actionsOf={actionsOf}
      isAlarming={isAlarming}
      {...nextPageOf(list)}
    />
  );
}
