// The review after a restore of the database: the undone changes, the API tokens to confirm, and the end of the review.
import { Alert, Button } from "@mantine/core";
import { IconCheck, IconDatabaseImport, IconKey } from "@tabler/icons-react";
import type { ReplyOf, RestoreReview, SuspendedToken, readRestoreReview } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "#shared/format/text.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import classes from "#shared/ui/admin-console.module.css";
import { restoreReview, restoreReviewEnd, tokenConfirmation } from "./system.queries.ts";

const FOUND_BY: Record<RestoreReview["found_by"], string> = {
  restore: "Restored from a backup with strongroom restore",
  command: "Marked as restored by an operator",
  checkpoint: "Detected because the saved audit checkpoint is newer than the database",
};

export default function RestoreReviewTab() {
  const review = useQuery(restoreReview);
  return <Loaded query={review}>{(shown) => <Content review={shown} />}</Loaded>;
}

function Content({ review: { open, suspended_tokens: tokens } }: { review: ReplyOf<typeof readRestoreReview> }) {
  if (open.length === 0 && tokens.length === 0) {
    return (
      <SectionCard title="Restore Review">
        <EmptyState
          icon={IconDatabaseImport}
          title="No restore to review"
          text="After the database is restored from a backup, the changes that the restore undid are listed here."
        />
      </SectionCard>
    );
  }
  return (
    <div className={classes.cards}>
      {open.map((restore) => (
        <Restore key={restore.restored_at} restore={restore} />
      ))}
      <SuspendedTokens tokens={tokens} />
      {open.length > 0 && <Finish left={tokens.length} />}
    </div>
  );
}

function Restore({ restore }: { restore: RestoreReview }) {
  const { backup_made_at: madeAt, restored_at: restoredAt, is_authenticated: isAuthenticated } = restore;
  return (
    <SectionCard title="The database was restored" description={FOUND_BY[restore.found_by]}>
      {isAuthenticated === false && (
        <Alert color="red" variant="light" mb="sm" title="The backup was not authenticated">
          Anyone with write access to it could have changed the data.
        </Alert>
      )}
      <Facts
        facts={[
          { name: "Backup made", value: madeAt === null ? "Unknown" : absoluteTime(madeAt) },
          { name: "Restored", value: <RelativeTime moment={restoredAt} /> },
          {
            name: "Missing audit entries",
            value: restore.missing_entries === null ? "Unknown" : restore.missing_entries.toLocaleString(),
          },
        ]}
      />
      <h3 className={classes.subtitle}>Ended by the Restore</h3>
      <ul className={classes.findings}>
        {endsIn(restore).map((line) => (
          <li key={line}>
            <IconCheck size={18} color="var(--tone-success-fg)" aria-hidden />
            <span>{line}</span>
          </li>
        ))}
      </ul>
      <h3 className={classes.subtitle}>Changes Undone by the Restore</h3>
      <Changes changes={restore.changes} />
      <p className={classes.note}>
        Repeat the changes that still matter: disable users, revoke tokens and change passwords again. Then validate all
        accounts, because passwords that were rotated after the backup are not in this database.
      </p>
    </SectionCard>
  );
}

function Changes({ changes }: Pick<RestoreReview, "changes">) {
  if (changes.length === 0) {
    return <NoRows>The undone changes are unknown. Compare with your SIEM or another audit sink.</NoRows>;
  }
  return (
    <RowList label="Changes undone by the restore">
      {changes.map(({ at, event, by, target }) => (
        <Row
          key={`${at} ${event} ${target}`}
          name={target === null ? eventName(event) : `${eventName(event)}: ${target}`}
        >
          <RowDetail>
            {absoluteTime(at)}
            {by !== null && ` · by ${by}`}
          </RowDetail>
        </Row>
      ))}
    </RowList>
  );
}

function SuspendedTokens({ tokens }: { tokens: SuspendedToken[] }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<SuspendedToken[]>([]);
  const [first] = asked;
  return (
    <SectionCard
      title="Suspended API Tokens"
      description="Rejected until you confirm them. Revoke the tokens that had been revoked after the backup."
      actions={
        tokens.length > 1 && (
          <Button size="sm" variant="default" onClick={() => setAsked(tokens)}>
            Confirm All
          </Button>
        )
      }
    >
      {tokens.length === 0 ? (
        <NoRows>No suspended tokens.</NoRows>
      ) : (
        <RowList label="Suspended API tokens">
          {tokens.map((token) => (
            <Row
              key={token.id}
              icon={<IconKey size={18} aria-hidden />}
              name={`${token.name} (${token.begins}…)`}
              actions={
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Confirm ${token.name}`}
                  onClick={() => setAsked([token])}
                >
                  Confirm
                </Button>
              }
            >
              <RowDetail>
                {token.holder.name}
                {token.holder.kind === "machine" && " (machine identity)"} · last used{" "}
                <RelativeTime moment={token.last_used_at} none="never" />
                {token.last_used_from !== null && ` from ${token.last_used_from}`}
              </RowDetail>
            </Row>
          ))}
        </RowList>
      )}
      <ConfirmActionDialog
        opened={first !== undefined}
        title={asked.length > 1 ? "Confirm API Tokens" : "Confirm API Token"}
        confirmLabel="Confirm"
        variant="warning"
        mutation={tokenConfirmation(
          client,
          asked.map(({ id }) => id),
        )}
        done={asked.length > 1 ? "The tokens work again" : "The token works again"}
        failed="Failed to confirm"
        onClose={() => setAsked([])}
      >
        {asked.length > 1
          ? `${counted(asked.length, "token")} work again`
          : `${first?.name ?? "The token"} works again`}{" "}
        immediately. This includes tokens that were revoked after the backup.
      </ConfirmActionDialog>
    </SectionCard>
  );
}

function Finish({ left }: { left: number }) {
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <SectionCard title="Finish the Review" description="Until then, the server reports degraded health.">
      <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
        Finish Review
      </Button>
      <ConfirmActionDialog
        opened={isAsking}
        title="Finish the Restore Review"
        confirmLabel="Finish"
        variant="warning"
        mutation={restoreReviewEnd(client)}
        done="Review finished"
        failed="Failed to finish the review"
        onClose={() => setIsAsking(false)}
      >
        {left === 0 ? "No API tokens are suspended." : `${counted(left, "API token")} will stay suspended.`} The list of
        undone changes is no longer shown.
      </ConfirmActionDialog>
    </SectionCard>
  );
}

/** One line for each kind of ended object; a count of zero is skipped. */
function endsIn({ ended }: Pick<RestoreReview, "ended">): string[] {
  const lines: [number, string][] = [
    [ended.sessions, `${counted(ended.sessions, "session")} ended`],
    [ended.sign_ins, `${counted(ended.sign_ins, "pending sign-in")} ended`],
    [ended.links, `${counted(ended.links, "password reset or invitation link")} ended`],
    [ended.grants, `${counted(ended.grants, "grant")} ended`],
    [ended.check_outs, `${counted(ended.check_outs, "check-out")} ended`],
    [ended.rotations, `${counted(ended.rotations, "rotation")} set to verify the secret before any change`],
    [ended.tokens, `${counted(ended.tokens, "API token")} suspended`],
    [ended.admin_resets, `${counted(ended.admin_resets, "administrator reset request")} expired`],
    [ended.closures, `Waiting time of ${counted(ended.closures, "closed vault")} restarted`],
    [
      ended.recovery_codes,
      `${counted(ended.recovery_codes, "recovery code")} deleted: their owners must create new ones`,
    ],
    [ended.ssh_keys, `${counted(ended.ssh_keys, "SSH key")} deleted: their owners must add them again`],
    [ended.approvals, `${counted(ended.approvals, "approval")} of pending access requests removed`],
  ];
  const said = lines.filter(([count]) => count > 0).map(([, text]) => text);
  return said.length === 0 ? ["Nothing was ended"] : said;
}

/** `user.status-changed` becomes "User status changed". */
function eventName(event: string): string {
  const words = event.replaceAll(/[.-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
