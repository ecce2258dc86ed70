// One credential in the vault's grid: what it is, how it stands, and everything one can do with it (VAULT-07 to VAULT-17).
import { ActionIcon, Button, Loader } from "@mantine/core";
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
import { memo, useId, type ReactNode } from "react";
import { Link } from "react-router";
import { paths } from "#app/paths.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./credential-card.module.css";
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

const ICON_SIZE = 16;

/** Drawn again only when its credential changed, not whenever the grid moves. */
export const CredentialCard = memo(function CredentialCard({ credential, onOpen }: CredentialCardProps) {
  const titleId = useId();
  const { isVerifying, start } = useVerify(credential, "list");
  const { isCopying, copy } = useCopySecret(credential.id);
  const open = (dialog: CardDialog) => () => onOpen(dialog, credential);

  return (
    <article
      className={classes.card}
      aria-labelledby={titleId}
      aria-busy={isVerifying}
      data-alarm={credential.host_key_alarm !== null}
    >
      <header className={classes.head}>
        <span className={classes.icon}>
          <CredentialIcon type={credential.type} />
        </span>
        <div className={classes.titles}>
          <h2 className={classes.name} id={titleId} title={credential.name}>
            {credential.name}
          </h2>
          <p className={classes.who} title={credential.username ?? undefined}>
            {typeLabel(credential)} · {credential.username ?? "No username"}
          </p>
        </div>
        <div className={classes.badges}>
          {isVerifying ? <Verifying /> : <StatusBadge status={credential.verification_status} />}
          <EnvironmentBadge credential={credential} />
        </div>
      </header>

      <dl className={classes.facts}>
        <Fact name="Host" title={addressOf(credential) ?? undefined}>
          {addressOf(credential) ?? NONE}
        </Fact>
        <Fact name="Status">
          <StatusBadge status={credential.status} />
        </Fact>
        <Fact name="Last verified">
          <RelativeTime moment={credential.verified_at} />
        </Fact>
        <Fact name="Last accessed">
          <RelativeTime moment={credential.last_accessed} />
        </Fact>
      </dl>

      {credential.verification_error !== null && <VerificationError credential={credential} />}

      <div className={classes.actions}>
        <Button size="compact-sm" variant="light" onClick={start} disabled={isVerifying}>
          <IconShieldCheck className={classes.buttonIcon} size={ICON_SIZE} aria-hidden />
          Verify Now
        </Button>
        <Button size="compact-sm" variant="default" onClick={copy} loading={isCopying}>
          <IconCopy className={classes.buttonIcon} size={ICON_SIZE} aria-hidden />
          Copy
        </Button>
        <span className={classes.more}>
          <Tip label="Quick View">
            <ActionIcon aria-label="Quick View" onClick={open("quick-view")}>
              <IconEye size={ICON_SIZE} aria-hidden />
            </ActionIcon>
          </Tip>
          <Tip label="Details">
            <ActionIcon component={Link} to={paths.credential(credential.id)} aria-label="Details">
              <IconArrowRight size={ICON_SIZE} aria-hidden />
            </ActionIcon>
          </Tip>
          <Tip label="Edit">
            <ActionIcon aria-label="Edit" onClick={open("edit")}>
              <IconPencil size={ICON_SIZE} aria-hidden />
            </ActionIcon>
          </Tip>
          <Tip label="Delete">
            <ActionIcon aria-label="Delete" onClick={open("delete")}>
              <IconTrash size={ICON_SIZE} aria-hidden />
            </ActionIcon>
          </Tip>
        </span>
      </div>
    </article>
  );
});

/** VAULT-11. In the place of the result, so that the rest of the card stays of use: a slow system takes its time. */
function Verifying() {
  return (
    <span role="status" className={classes.verifying}>
      <Tag tone="info" icon={<Loader size={11} color="currentColor" aria-hidden />}>
        Verifying...
      </Tag>
    </span>
  );
}

function Fact({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </div>
  );
}

/** VAULT-09. */
function VerificationError({ credential }: { credential: Credential }) {
  const ErrorIcon = credential.host_key_alarm === null ? IconAlertTriangle : IconShieldExclamation;
  return (
    <p className={classes.error} title={credential.verification_error ?? undefined}>
      <ErrorIcon className={classes.errorIcon} size={15} aria-hidden />
      <span className={classes.errorText}>{credential.verification_error}</span>
    </p>
  );
}

/** Says on hover and focus what a sign means, by style alone: thousands of cards are drawn while somebody scrolls. */
function Tip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className={classes.tip} data-label={label}>
      {children}
    </span>
  );
}
