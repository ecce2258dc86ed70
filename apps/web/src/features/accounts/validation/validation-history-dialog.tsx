// "Validation History": the past validations of one account, newest first (ACC-82 to ACC-91).
import { Button, Stack } from "@mantine/core";
import { IconShieldCheck, IconShieldSearch } from "@tabler/icons-react";
import type { Account, ValidationHistoryEntry } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { capitalised } from "#shared/format/text.ts";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { responseTime } from "#shared/format/time.ts";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { validationHistory } from "../accounts.queries.ts";
import { useValidate } from "./use-validate.ts";
import classes from "./validation-history-dialog.module.css";

export interface ValidationHistoryDialogProps {
  account: Pick<Account, "id" | "name" | "my_permissions">;
  opened: boolean;
  onClose: () => void;
}

export function ValidationHistoryDialog({ account, opened, onClose }: ValidationHistoryDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={
        <>
          Validation History <span className={classes.name}>{account.name}</span>
        </>
      }
      size="lg"
      isShort
    >
      <History account={account} />
    </Modal>
  );
}

function History({ account }: Pick<ValidationHistoryDialogProps, "account">) {
  const history = useInfiniteQuery(validationHistory(account.id));
  if (history.isPending) return <SectionSkeleton />;
  if (history.data === undefined) {
    return (
      <ErrorState
        message={`Error: ${messageOf(history.error, "Failed to load validation history")}`}
        onRetry={() => void history.refetch()}
        isRetrying={history.isFetching}
      />
    );
  }
  const entries = history.data.pages.flatMap((page) => page.history);
  if (entries.length === 0) {
    return (
      <EmptyState
        icon={IconShieldSearch}
        title="No Validation History"
        text="This account has not been validated yet. A validation logs in with the stored password and changes nothing."
        action={account.my_permissions.includes("manage_secret") && <ValidateNow account={account} />}
      />
    );
  }
  return (
    <Stack gap="sm">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <ol className={classes.list} aria-label="Validations" tabIndex={0}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <LoadMore of={history} />
    </Stack>
  );
}

function ValidateNow({ account }: Pick<ValidationHistoryDialogProps, "account">) {
  const { isValidating, start } = useValidate(account);
  return (
    <Button leftSection={<IconShieldCheck size={16} aria-hidden />} loading={isValidating} onClick={start}>
      Validate
    </Button>
  );
}

/** `unsupported` means that no verification was attempted. */
const statusOf = ({ outcome }: ValidationHistoryEntry) =>
  outcome === null ? "pending" : outcome === "unsupported" ? "untested" : outcome;

function Entry({ entry }: { entry: ValidationHistoryEntry }) {
  const { response_time: ms, endpoint, connection_test: reached, credential_test: took } = entry.validation_details;
  return (
    <li className={classes.entry}>
      <div className={classes.first}>
        <VerificationBadge status={statusOf(entry)} />
        <span className={classes.kind}>{capitalised(entry.validation_type)}</span>
        <span className={classes.time}>
          <RelativeTime moment={entry.validated_at} />
        </span>
      </div>
      {entry.error_message !== null && <p className={classes.error}>{entry.error_message}</p>}
      <p className={classes.details}>
        <span>By {entry.validated_by}</span>
        {endpoint !== null && <span>{endpoint}</span>}
        {ms !== null && <span>{responseTime(ms)}</span>}
        <span>Connection {reached ? "reached" : "not reached"}</span>
        <span>Password {took ? "accepted" : "not accepted"}</span>
      </p>
    </li>
  );
}
