// One credential in the vault's grid: its details, status and actions (VAULT-07 to VAULT-17).
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
  IconApi,
  IconAppWindow,
  IconCertificate,
  IconDatabase,
  IconKey,
  IconPassword,
  IconServer,
  IconTerminal2,
  type Icon,
} from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { memo } from "react";
import { paths } from "#shared/paths.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { CardButton, CardNote, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { RowMenu } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { NONE, addressOf, typeLabel } from "../credential-labels.ts";
import { EnvironmentBadge } from "../environment-badge.tsx";
import { useCopySecret } from "../use-copy-secret.ts";
import { isDatabaseType, type CredentialType } from "@strongroom/contract";
import { useVerify } from "../verification/use-verify.ts";

const ICONS: Partial<Record<CredentialType, Icon>> = {
  password: IconPassword,
  ssh: IconTerminal2,
  api_token: IconKey,
  certificate: IconCertificate,
  application: IconAppWindow,
  api: IconApi,
  server: IconServer,
};

/** Dialogs that a card opens. The page renders them, because scrolling may unmount the card. */
export type CardDialog = "quick-view" | "edit" | "delete";

export interface CredentialCardProps {
  credential: Credential;
  onOpen: (dialog: CardDialog, credential: Credential) => void;
}

/** Memoised: renders only when its credential changes, not when the grid scrolls. */
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
          {isVerifying ? (
            <Verifying />
          ) : (
            <VerificationBadge status={credential.verification_status} isHostKeyChanged={isAlarming} />
          )}
          <EnvironmentBadge credential={credential} />
        </>
      }
      facts={[
        { name: "Host", value: addressOf(credential) ?? NONE, title: addressOf(credential) ?? undefined },
        { name: "Status", value: <StatusBadge status={credential.status} /> },
        { name: "Last verified", value: <RelativeTime moment={credential.verified_at} /> },
        { name: "Last accessed", value: <RelativeTime moment={credential.last_accessed} /> },
      ]}
      // VAULT-09: the error of the last verification.
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
            <RowMenu
              name={credential.name}
              actionsOf={() => [{ label: "Delete", icon: IconTrash, onClick: open("delete"), isDanger: true }]}
            />
          </CardSigns>
        </>
      }
    />
  );
});

/** VAULT-11. Replaces only the result, so that the card stays usable while a slow target answers. */
function Verifying() {
  return (
    <span role="status" style={{ display: "flex" }}>
      <Tag tone="info" icon={<Loader size={11} color="currentColor" aria-hidden />}>
        Verifying...
      </Tag>
    </span>
  );
}

function CredentialIcon({ type, size = 18 }: { type: CredentialType; size?: number }) {
  const TypeIcon = isDatabaseType(type) ? IconDatabase : (ICONS[type] ?? IconKey);
  return <TypeIcon size={size} stroke={1.6} aria-hidden />;
}
