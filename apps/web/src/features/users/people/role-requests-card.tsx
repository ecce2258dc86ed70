// Sign-ups that requested a role above user, to approve or deny (OPEN-17, OPEN-18).
import { Button, Stack } from "@mantine/core";
import type { User } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { capitalised } from "#shared/format/text.ts";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { ActivationCard } from "./activation-card.tsx";
import { roleRequests } from "../users.queries.ts";
import { useUserAction } from "./user-action-dialog.tsx";
import type { UserAction } from "./user-actions.ts";

export function RoleRequestsCard() {
  const requests = useQuery(roleRequests);
  const { ask, dialog } = useUserAction();
  return (
    <Stack gap="md">
      <ActivationCard />
      <SectionCard title="Role Requests" description="Active users who requested a role at sign-up">
        <Content requests={requests} onAsk={ask} />
        {dialog}
      </SectionCard>
    </Stack>
  );
}

interface ContentProps {
  requests: ReturnType<typeof useQuery<{ data: User[] }>>;
  onAsk: (action: UserAction) => void;
}

function Content({ requests, onAsk }: ContentProps) {
  if (requests.isPending) return <SectionSkeleton />;
  if (requests.data === undefined) {
    return <ErrorState message={messageOf(requests.error)} onRetry={() => void requests.refetch()} />;
  }
  // A pending account's role is decided with its activation.
  const waiting = requests.data.data.filter(({ status }) => status !== "pending");
  if (waiting.length === 0) return <NoRows>No role requests</NoRows>;
  return (
    <RowList label="Role requests">
      {waiting.map((user) => (
        <Row
          key={user.id}
          name={
            <>
              {user.name} <Tag tone="warning">{capitalised(user.requested_role ?? "")}</Tag>
            </>
          }
          actions={
            <>
              <Button
                size="compact-sm"
                aria-label={`Approve ${user.name}`}
                onClick={() => onAsk({ kind: "role-request", user, decision: "approve" })}
              >
                Approve
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Deny ${user.name}`}
                onClick={() => onAsk({ kind: "role-request", user, decision: "deny" })}
              >
                Deny
              </Button>
            </>
          }
        >
          <RowDetail>
            {user.email} · <RelativeTime moment={user.created_at} />
          </RowDetail>
        </Row>
      ))}
    </RowList>
  );
}
