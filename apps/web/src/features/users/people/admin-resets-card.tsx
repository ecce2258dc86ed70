// Open requests to reset an administrator's sign-in: another administrator confirms or cancels them here.
import { Button } from "@mantine/core";
import type { AdminReset } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { invalidatePath } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { adminResetCancellation, adminResets, confirmReset } from "../users.queries.ts";
import type { IssuedLink } from "./issued-link-note.tsx";

const IssuedLinkNote = lazy(() => import("./issued-link-note.tsx"));

const WORDS: Record<AdminReset["kind"], string> = { password: "password", factors: "second factors" };

/** Renders nothing while no request is open. */
export function AdminResetsCard() {
  const client = useQueryClient();
  const { data } = useQuery(adminResets);
  const cancel = useMutation(adminResetCancellation(client));
  const [asked, setAsked] = useState<AdminReset | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [issued, setIssued] = useState<IssuedLink | null>(null);

  async function confirm(reset: AdminReset): Promise<void> {
    setIsBusy(true);
    try {
      const { link, expires_at: expiresAt } = await confirmReset(reset.id);
      if (link === null || expiresAt === null) toast.success(`Second factors of ${reset.person.name} removed`);
      else setIssued({ email: reset.person.email, link, expiresAt });
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setIsBusy(false);
      setAsked(null);
      await invalidatePath(client, "/api/v1/admin-resets");
    }
  }

  if (issued === null && (data === undefined || data.data.length === 0)) return null;
  return (
    <SectionCard
      title="Administrator Resets"
      description="One administrator requests a reset and another confirms it within 24 hours."
    >
      <RowList label="Administrator resets">
        {(data?.data ?? []).map((reset) => (
          <Row
            key={reset.id}
            name={`${reset.person.name}: ${WORDS[reset.kind]}`}
            actions={
              <>
                {reset.can_confirm && (
                  <Button size="compact-sm" onClick={() => setAsked(reset)}>
                    Confirm
                  </Button>
                )}
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Cancel the reset of ${reset.person.name}`}
                  onClick={() =>
                    cancel.mutate(reset.id, {
                      onSuccess: ({ message }) => toast.success(message),
                      onError: (error) => toast.error(messageOf(error)),
                    })
                  }
                >
                  Cancel
                </Button>
              </>
            }
          >
            <RowDetail>
              Requested by {reset.requested_by.name} <RelativeTime moment={reset.requested_at} />: {reset.reason}
            </RowDetail>
            {!reset.can_confirm && <RowDetail>Another administrator must confirm it.</RowDetail>}
          </Row>
        ))}
      </RowList>
      <ConfirmDialog
        opened={asked !== null}
        title={`Confirm the Reset of ${asked?.person.name ?? ""}`}
        confirmLabel="Confirm Reset"
        variant="danger"
        isBusy={isBusy}
        onConfirm={() => asked !== null && void confirm(asked)}
        onCancel={() => setAsked(null)}
      >
        {asked?.kind === "factors"
          ? "Their authenticator apps, passkeys and recovery codes will be removed, their sessions ended, and their API tokens and SSH keys revoked."
          : "You get a link that sets their password. Give it only to them."}{" "}
        Contact them first to make sure that the request is genuine.
      </ConfirmDialog>
      {/* Only the dialog's own button closes it, so that the link is not lost by accident. */}
      <Modal opened={issued !== null} onClose={() => setIssued(null)} title="Reset Link" size="lg" isInsistent isShort>
        <Suspense fallback={null}>
          {issued !== null && <IssuedLinkNote issued={issued} onDone={() => setIssued(null)} />}
        </Suspense>
      </Modal>
    </SectionCard>
  );
}
