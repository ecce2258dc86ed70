// One credential in the vault's grid: what it is, how it stands, and everything one can do with it (VAULT-07 to VAULT-17).
import { Loader } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowRight,
  IconCopy,
  IconEye,
  IconPencil,
  IconShieldCheck,
  IconShieldExclamation,
  IconTrash,
} from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { memo } from "react";
import { paths } from "#app/paths.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { CardButton, CardNote, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { CredentialIcon } from "./credential-icon.tsx";
import { NONE, addressOf, typeLabel } from "./credential-words.ts";
import { EnvironmentBadge } from "./environment-badge.tsx";
import { useCopySecret } from "./use-copy-secret.ts";
import { useVerify } from "./use-verify.ts";

/** What opens a dialog; the page holds the dialogs, because a card may be scrolled away. */
export type CardDialog = "quick-view" | "edit" | "delete";

export interface CredentialCardProps {
  credential: Credential;
  onOpen: (dialog: CardDialog, credential: Credential) => void;
}

/** Drawn again only when its credential changed, not whenever the grid moves. */
export const CredentialCard = memo(function CredentialCard({ credential, onOpen }: CredentialCardProps) {
  const { isVerifying, start } = useVerify(credential, "list");
  const isPending = useIsPending();
  const { isCopying, copy } = useCopySecret(credential.id);
  const open = (dialog: CardDialog) => () => onOpen(dialog, credential);
  const isAlarming = credential.host_key_alarm !== null;

  return (
    <ItemCard
      icon={<CredentialIcon type={credential.type} />}
      title={credential.name}
      subtitle={`${typeLabel(credential)} · ${credential.username ?? "No username"}`}
      subtitleTitle={credential.username ?? undefined}
      isBusy={isVerifying}
      isAlarming={isAlarming}
      badges={
        <>
          {isVerifying ? <Verifying /> : <StatusBadge status={credential.verification_status} />}
          <EnvironmentBadge credential={credential} />
        </>
      }
      facts={[
        { name: "Host", value: addressOf(credential) ?? NONE, title: addressOf(credential) ?? undefined },
        { name: "Status", value: <StatusBadge status={credential.status} /> },
        { name: "Last verified", value: <RelativeTime moment={credential.verified_at} /> },
        { name: "Last accessed", value: <RelativeTime moment={credential.last_accessed} /> },
      ]}
      // VAULT-09.
      note={
        credential.verification_error !== null && (
          <CardNote
            tone="danger"
            icon={isAlarming ? IconShieldExclamation : IconAlertTriangle}
            text={credential.verification_error}
          />
        )
      }
      actions={
        <>
          {!isPending && (
            <CardButton label="Verify Now" icon={IconShieldCheck} onClick={start} isDisabled={isVerifying} isPrimary />
          )}
          <CardButton label="Copy" icon={IconCopy} onClick={copy} isBusy={isCopying} />
          <CardSigns>
            <CardSign label="Quick View" icon={IconEye} onClick={open("quick-view")} />
            <CardSign label="Details" icon={IconArrowRight} to={paths.credential(credential.id)} />
            <CardSign label="Edit" icon={IconPencil} onClick={open("edit")} />
            <CardSign label="Delete" icon={IconTrash} onClick={open("delete")} />
          </CardSigns>
        </>
      }
    />
  );
});

/** VAULT-11. In the place of the result, so that the rest of the card stays of use: a slow system takes its time. */
function Verifying() {
  return (
    <span role="status" style={{ display: "flex" }}>
      <Tag tone="info" icon={<Loader size={11} color="currentColor" aria-hidden />}>
        Verifying...
      </Tag>
    </span>
  );
}
