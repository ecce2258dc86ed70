// Password resets that are waiting for an administrator because no mail server is configured (OPEN-09): the
// administrator creates the link and hands it over.
import { Button } from "@mantine/core";
import type { PendingReset } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { invalidatePath } from "#shared/api/query.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { createResetLink, pendingResets } from "../users.queries.ts";
import type { IssuedLink } from "./issued-link-note.tsx";

const IssuedLinkNote = lazy(() => import("./issued-link-note.tsx"));

export function PasswordResetsCard() {
  const client = useQueryClient();
  const resets = useQuery(pendingResets);
  const [busyFor, setBusyFor] = useState<string | null>(null);
  const [issued, setIssued] = useState<IssuedLink | null>(null);

  const forget = () => setIssued(null);

  async function issue({ user_id, email }: PendingReset): Promise<void> {
    setBusyFor(user_id);
    try {
      const { link, expires_at } = await createResetLink(user_id);
      setIssued({ email, link, expiresAt: expires_at });
    } catch (error) {
      toast.error(`Failed to create a reset link: ${messageOf(error)}`);
    } finally {
      setBusyFor(null);
      await invalidatePath(client, "/api/v1/users");
    }
  }

  function content() {
    if (resets.isPending) return <SectionSkeleton />;
    if (resets.data === undefined) {
      return <ErrorState message={messageOf(resets.error)} onRetry={() => void resets.refetch()} />;
    }
    if (resets.data.data.length === 0) return <NoRows>No pending password resets</NoRows>;
    return (
      <RowList label="Password resets">
        {resets.data.data.map((reset) => (
          <Row
            key={reset.user_id}
            name={reset.name}
            actions={
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Create reset link for ${reset.name}`}
                loading={busyFor === reset.user_id}
                onClick={() => void issue(reset)}
              >
                Create Reset Link
              </Button>
            }
          >
            <RowDetail>
              {reset.email} · requested <RelativeTime moment={reset.requested_at} />
            </RowDetail>
          </Row>
        ))}
      </RowList>
    );
  }

  return (
    <SectionCard
      title="Password Resets"
      description="No mail server is configured, so you create the reset links and share them"
    >
      {content()}
      {/* Only the dialog's own buttons close it, so that the link is not lost by accident. */}
      <Modal opened={issued !== null} onClose={forget} title="Reset Link" size="lg" isInsistent isShort>
        <Suspense fallback={<SectionLoading />}>
          {issued !== null && <IssuedLinkNote issued={issued} onDone={forget} />}
        </Suspense>
      </Modal>
    </SectionCard>
  );
}
