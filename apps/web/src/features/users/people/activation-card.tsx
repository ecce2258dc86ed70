// Accounts that signed up and are waiting for activation, with buttons to activate one or all.
import { Button } from "@mantine/core";
import type { User } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { capitalised, counted } from "#shared/format/text.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { bulkActivation, pendingUsers } from "../users.queries.ts";
import { useUserAction } from "./user-action-dialog.tsx";
import type { UserAction } from "./user-actions.ts";

export function ActivationCard() {
  const users = useQuery(pendingUsers);
  const { ask, dialog } = useUserAction();
  const [isAsking, setIsAsking] = useState(false);
  const waiting = users.data?.data ?? [];
  const client = useQueryClient();
  return (
    <SectionCard
      title="Waiting for Activation"
      description="New sign-ups. Until activation, they can only use their profile and personal vault"
      actions={
        waiting.length > 1 && (
          <Button size="sm" variant="default" onClick={() => setIsAsking(true)}>
            Activate All
          </Button>
        )
      }
    >
      {users.isPending ? (
        <SectionSkeleton />
      ) : users.data === undefined ? (
        <ErrorState message={messageOf(users.error)} onRetry={() => void users.refetch()} />
      ) : waiting.length === 0 ? (
        <NoRows>No accounts are waiting for activation</NoRows>
      ) : (
        <RowList label="Waiting for activation">
          {waiting.map((user) => (
            <WaitingRow key={user.id} user={user} onAsk={ask} />
          ))}
        </RowList>
      )}
      {dialog}
      <ConfirmActionDialog
        opened={isAsking}
        title={`Activate ${counted(waiting.length, "account")}`}
        variant="warning"
        confirmLabel="Activate All"
        mutation={bulkActivation(
          client,
          waiting.map(({ id }) => id),
        )}
        done="Accounts activated"
        failed={messageOf}
        onClose={() => setIsAsking(false)}
      >
        <p>
          They become active with the role User. Their email addresses are not verified. Role requests stay open until
          you decide on them.
        </p>
      </ConfirmActionDialog>
    </SectionCard>
  );
}

function WaitingRow({ user, onAsk }: { user: User; onAsk: (action: UserAction) => void }) {
  const wanted = user.requested_role;
  return (
    <Row
      name={
        <>
          {user.name} {wanted !== null && <Tag tone="warning">Requests {capitalised(wanted)}</Tag>}
        </>
      }
      actions={
        <>
          {wanted !== null && (
            <Button
              size="compact-sm"
              aria-label={`Activate ${user.name} as ${capitalised(wanted)}`}
              onClick={() => onAsk({ kind: "activate", user, decision: "approve" })}
            >
              Activate as {capitalised(wanted)}
            </Button>
          )}
          <Button
            size="compact-sm"
            {...(wanted !== null && { variant: "default" })}
            aria-label={`Activate ${user.name}${wanted === null ? "" : " as User"}`}
            onClick={() => onAsk({ kind: "activate", user, ...(wanted !== null && { decision: "deny" as const }) })}
          >
            {wanted === null ? "Activate" : "Activate as User"}
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Delete ${user.name}`}
            onClick={() => onAsk({ kind: "delete", user })}
          >
            Delete
          </Button>
        </>
      }
    >
      <RowDetail>
        {user.email} · signed up <RelativeTime moment={user.created_at} />
      </RowDetail>
    </Row>
  );
}
