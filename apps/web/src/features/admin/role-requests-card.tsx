// Sign-ups that asked for more than the role of a user, to be approved or denied (OPEN-17, OPEN-18).
import { Button, Group } from "@mantine/core";
import type { User } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { capitalised } from "#shared/format/text.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./admin-page.module.css";
import { roleRequests } from "./admin.queries.ts";
import { useUserAction } from "./user-action-dialog.tsx";
import type { UserAction } from "./user-actions.ts";

export function RoleRequestsCard() {
  const requests = useQuery(roleRequests);
  const { ask, dialog } = useUserAction();
  return (
    <SectionCard title="Role requests" description="People who asked for a role when they signed up">
      <Content requests={requests} onAsk={ask} />
      {dialog}
    </SectionCard>
  );
}

interface ContentProps {
  requests: ReturnType<typeof useQuery<{ data: User[] }>>;
  onAsk: (action: UserAction) => void;
}

function Content({ requests, onAsk }: ContentProps) {
  if (requests.isPending) return <SectionLoading />;
  if (requests.data === undefined) {
    return <ErrorState message={messageOf(requests.error)} onRetry={() => void requests.refetch()} />;
  }
  const waiting = requests.data.data;
  if (waiting.length === 0) return <p className={classes.none}>No role requests</p>;
  return (
    <ul className={classes.list}>
      {waiting.map((user) => (
        <li key={user.id} className={classes.item}>
          <div className={classes.itemText}>
            <div className={classes.person}>
              <span className={classes.name}>{user.name}</span>
              <Tag tone="warning">{capitalised(user.requested_role ?? "")}</Tag>
            </div>
            <p className={classes.email} title={user.email}>
              {user.email} · <RelativeTime moment={user.created_at} />
            </p>
          </div>
          <Group gap="xs" wrap="nowrap">
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
          </Group>
        </li>
      ))}
    </ul>
  );
}
