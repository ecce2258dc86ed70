// The audit trail, with checkpoints and exports that anyone can verify independently of the server.
import { Button, Stack } from "@mantine/core";
import { IconDownload, IconLock, IconShieldCheck } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./audit-page.module.css";
import { AuditTrail } from "./audit-trail.tsx";
import { trailDownload, verification } from "./audit.queries.ts";
import { CheckpointCard } from "./checkpoint-card.tsx";
import { ContradictionsCard } from "./contradictions-card.tsx";
import { VerificationResult } from "./verification-result.tsx";

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
              Export with proofs
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
