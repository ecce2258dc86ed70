// Backups made from this screen, and restore drills that prove them usable.
import { Alert, Button, Group } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconDatabaseExport, IconX } from "@tabler/icons-react";
import type { Backup, BackupList, BackupWork, RestoreDrill, DrillFinding } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { inBytes } from "#shared/format/size.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import type { Status } from "#shared/ui/status-badge.tsx";
import { backupDrill, backupNow, backupRemoval, backups, workCancel } from "./system.queries.ts";

const FINDING_NAMES: Record<DrillFinding["what"], string> = {
  authenticity: "Authenticity",
  files: "Files",
  database: "Database",
  audit: "Audit trail",
  keys: "Keys",
  secrets: "Secrets",
};

const BACKUP_STATE_NAMES: Record<Exclude<Backup["state"], "complete">, string> = {
  unfinished: "Incomplete",
  damaged: "Damaged",
  unauthenticated: "Not authenticated",
};

export default function BackupsTab() {
  const list = useQuery(backups);
  return <Loaded query={list}>{(shown) => <Content list={shown} />}</Loaded>;
}

function Content({ list }: { list: BackupList }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation(backupNow(client));
  const begin = () => mutate(undefined, { onError: (error) => toast.error(messageOf(error)) });
  if (list.instead !== null) {
    return (
      <SectionCard title="Backups">
        <p className={classes.plain}>{list.instead}</p>
      </SectionCard>
    );
  }
  return (
    <div className={classes.cards}>
      <SectionCard
        title="Backups"
        description={<span className={classes.mono}>{list.folder}</span>}
        actions={
          <Button
            size="sm"
            leftSection={<IconDatabaseExport size={16} aria-hidden />}
            onClick={begin}
            loading={isPending}
            disabled={list.under_way !== null}
          >
            Back Up Now
          </Button>
        }
      >
        {list.under_way !== null && <Work work={list.under_way} />}
        {list.warning !== null && (
          <Alert color="brass" variant="light" icon={<IconAlertTriangle aria-hidden />} mb="sm">
            {list.warning}
          </Alert>
        )}
        {list.last_error !== null && (
          <Alert
            color="red"
            variant="light"
            icon={<IconAlertTriangle aria-hidden />}
            title="The last backup failed"
            mb="sm"
          >
            {list.last_error}
          </Alert>
        )}
        <Backups list={list} />
      </SectionCard>
      <SectionCard
        title="Last Restore Drill"
        description="Restores a backup to a separate database and checks everything in it"
      >
        {list.last_drill === null ? (
          <p className={classes.plain}>No restore has been tested yet. Test one to make sure that your backups work.</p>
        ) : (
          <Drill drill={list.last_drill} />
        )}
      </SectionCard>
    </div>
  );
}

function Work({ work }: { work: BackupWork }) {
  const { mutate, isPending } = useMutation(workCancel(useQueryClient()));
  const name = work.kind === "backup" ? "Backup in progress" : "Restore drill in progress";
  return (
    <section className={classes.work} aria-label={name}>
      <Group justify="space-between" gap="xs">
        <span role="status">{name}</span>
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          onClick={() => mutate(undefined, { onError: (error) => toast.error(messageOf(error)) })}
        >
          Stop
        </Button>
      </Group>
      <progress aria-label={name} max={Math.max(1, work.total ?? 1)} value={work.done} />
    </section>
  );
}

function Backups({ list: { data, under_way: underWay } }: { list: BackupList }) {
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<Backup | null>(null);
  if (data.length === 0) {
    return (
      <EmptyState
        icon={IconDatabaseExport}
        title="No backups yet"
        text="A backup contains everything except the root key. Keep a copy of the root key elsewhere."
      />
    );
  }
  return (
    <>
      <RowList label="Backups">
        {data.map((backup) => (
          <BackupRow key={backup.name} backup={backup} isBusy={underWay !== null} onDelete={() => setLeaving(backup)} />
        ))}
      </RowList>
      <DeleteDialog
        opened={leaving !== null}
        title="Delete the Backup"
        mutation={backupRemoval(client, leaving?.name ?? "")}
        done="Backup deleted"
        failed="Failed to delete the backup"
        onClose={() => setLeaving(null)}
      >
        The backup of {leaving?.made_at ? absoluteTime(leaving.made_at) : leaving?.name} is permanently deleted.
      </DeleteDialog>
    </>
  );
}

interface BackupRowProps {
  backup: Backup;
  isBusy: boolean;
  onDelete: () => void;
}

function BackupRow({ backup, isBusy, onDelete }: BackupRowProps) {
  const { mutate, isPending } = useMutation(backupDrill(useQueryClient()));
  const { name, state, made_at: madeAt, last_drill: drill } = backup;
  return (
    <Row
      name={
        <>
          {madeAt === null ? name : absoluteTime(madeAt)}
          {state !== "complete" && (
            <StatusBadge
              status={state === "unauthenticated" ? "pending" : "failed"}
              label={BACKUP_STATE_NAMES[state]}
            />
          )}
          {drill !== null && <StatusBadge {...drillStatus(drill)} />}
        </>
      }
      actions={
        <>
          {state === "complete" && (
            <Button
              size="compact-sm"
              variant="default"
              disabled={isBusy}
              loading={isPending}
              aria-label={`Test restore of ${name}`}
              onClick={() => mutate(name, { onError: (error) => toast.error(messageOf(error)) })}
            >
              Test Restore
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            disabled={isBusy}
            aria-label={`Delete ${name}`}
            onClick={onDelete}
          >
            Delete
          </Button>
        </>
      }
    >
      {state === "unauthenticated" && (
        <RowDetail>
          Created by an earlier version that did not protect backups against changes. Create a new one.
        </RowDetail>
      )}
      {state === "complete" && (
        <RowDetail>
          {inBytes(backup.size_bytes)} · {backup.files.toLocaleString()} files · Strongroom {backup.version}
        </RowDetail>
      )}
    </Row>
  );
}

function Drill({ drill }: { drill: RestoreDrill }) {
  return (
    <>
      <p className={classes.verdict}>
        {drillSentence(drill)} <RelativeTime moment={drill.ended_at ?? drill.started_at} />
      </p>
      <ul className={classes.findings}>
        {drill.findings.map(({ what, is_good: isGood, says }) => (
          <li key={`${what} ${says}`}>
            {isGood ? (
              <IconCheck size={18} color="var(--tone-success-fg)" role="img" aria-label="Passed" />
            ) : (
              <IconX size={18} color="var(--tone-danger-fg)" role="img" aria-label="Failed" />
            )}
            <span>
              <strong>{FINDING_NAMES[what]}:</strong> {says}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function drillStatus({ ended_at: endedAt, is_good: isGood }: RestoreDrill): { status: Status; label: string } {
  if (endedAt === null) return { status: "pending", label: "Drill running" };
  if (isGood === null) return { status: "inactive", label: "Drill stopped" };
  return isGood ? { status: "verified", label: "Drill passed" } : { status: "failed", label: "Drill failed" };
}

/** The beginning of a sentence; the caller appends the time of the drill. */
function drillSentence({ made_at: madeAt, backup, is_good: isGood }: RestoreDrill): string {
  const which = `The backup of ${madeAt === null ? backup : absoluteTime(madeAt)}`;
  if (isGood === null) return `${which} was not fully tested: the drill was stopped.`;
  return isGood ? `${which} can be restored.` : `${which} cannot be restored correctly.`;
}
