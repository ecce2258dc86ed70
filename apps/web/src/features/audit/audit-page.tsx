// The audit trail, with checkpoints and exports that anyone can verify independently of the server.
import { Button, Stack, Alert } from "@mantine/core";
import { IconDownload, IconLock, IconShieldCheck, IconShieldX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./audit-page.module.css";
import { trailDownload, verification } from "./audit.queries.ts";
import { AuditViews } from "./audit-views.tsx";
import { CheckpointCard } from "./checkpoint-card.tsx";
import { ContradictionsCard } from "./contradictions-card.tsx";
import { AuditExplorer } from "#shared/audit/audit-explorer.tsx";
import { EVENTS_WITHOUT_CALL, labelOfAuditEvent } from "@strongroom/contract";
import type { ReplyOf, verifyAudit } from "@strongroom/contract";
import { capitalised, counted } from "#shared/format/text.ts";
import { endpoints } from "@strongroom/contract/all";

const EVENTS = [...new Set([...endpoints.map(({ endpoint }) => endpoint.audit), ...EVENTS_WITHOUT_CALL])]
  .filter((event) => event !== "none")
  .sort();

const EVENT_CHOICES = [
  { value: "", label: "All events" },
  ...EVENTS.map((event) => ({ value: event, label: labelOfAuditEvent(event) })),
];

const TITLE = "Audit Logs";
const SENTENCE = "Review audit trails and compliance reports";

export default function AuditPage() {
  const { role } = useUser();
  if (role === "user") {
    return (
      <>
        <PageHeader title={TITLE} subtitle={SENTENCE} />
        <EmptyState
          icon={IconLock}
          title="Only managers and administrators can read the whole audit trail."
          text="The history of your own credentials is on each credential's page, under Audit Logs."
        />
      </>
    );
  }
  return <WholeTrail />;
}

function WholeTrail() {
  const client = useQueryClient();
  const check = useMutation(verification(client));
  const exporting = useMutation(trailDownload(client));
  const verify = () =>
    check.mutate(undefined, {
      onError: (error) => toast.error(`Failed to verify the audit trail: ${messageOf(error)}`),
    });
  const save = () =>
    exporting.mutate(undefined, {
      onSuccess: () => toast.success("Audit trail exported"),
      onError: (error) => toast.error(`Failed to export the audit trail: ${messageOf(error)}`),
    });

  return (
    <>
      <PageHeader
        title={TITLE}
        subtitle={SENTENCE}
        actions={
          <>
            <Button leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={verify} loading={check.isPending}>
              Verify
            </Button>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={save}
              loading={exporting.isPending}
            >
              Export with Proofs
            </Button>
          </>
        }
      />
      <ContradictionsCard />
      {check.data !== undefined && (
        <div className={classes.result}>
          <VerificationResult result={check.data} />
        </div>
      )}
      <div className={classes.columns}>
        <AuditTrail />
        <Stack gap="md" className={classes.side}>
          <CheckpointCard />
        </Stack>
      </div>
    </>
  );
}

function AuditTrail() {
  return (
    <div className={classes.trail}>
      <AuditExplorer title="Audit Trail" scope="everything" events={EVENT_CHOICES} tools={<AuditViews />} />
    </div>
  );
}

function VerificationResult({ result }: { result: ReplyOf<typeof verifyAudit> }) {
  const entries = counted(result.checked, "entry", "entries");
  if (result.is_intact) {
    return (
      <Alert
        color="green"
        variant="light"
        role="status"
        icon={<IconShieldCheck aria-hidden />}
        title="The audit trail is intact"
      >
        {entries} checked against the tree and the signed checkpoints: nothing was changed, deleted, added or reordered.
      </Alert>
    );
  }
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconShieldX aria-hidden />}
      title="The audit trail was tampered with"
    >
      {counted(result.findings.length, "finding")} in {entries}:
      <ul className={classes.findings}>
        {result.findings.map((finding) => (
          <li key={`${finding.kind} ${finding.leaf_index} ${finding.message}`}>
            <strong>{capitalised(finding.kind)}</strong>: {finding.message}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
