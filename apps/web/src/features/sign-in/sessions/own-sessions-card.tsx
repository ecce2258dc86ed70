// The user's open sessions, each with a button that ends it.
import { Button } from "@mantine/core";
import { IconDeviceDesktop } from "@tabler/icons-react";
import type { SessionId, UserSession } from "@strongroom/contract";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { describeAgent } from "./describe-agent.ts";
import { describePlace } from "./describe-place.ts";
import { useEndOtherSessions, useEndSession, useOwnSessions } from "../sign-in.queries.ts";

function SessionRow({ session, onEnd }: { session: UserSession; onEnd: () => void }) {
  const name = describeAgent(session.agent);
  return (
    <Row
      icon={<IconDeviceDesktop size={18} stroke={1.6} aria-hidden />}
      name={
        <>
          {name} {session.is_current && <Tag tone="info">This session</Tag>}
        </>
      }
      actions={
        !session.is_current && (
          <Button variant="default" size="compact-sm" onClick={onEnd} aria-label={`End session: ${name}`}>
            End session
          </Button>
        )
      }
    >
      <RowDetail>
        {describePlace(session.ip)} · Signed in: <RelativeTime moment={session.created_at} /> · Last active:{" "}
        <RelativeTime moment={session.last_active_at} />
      </RowDetail>
    </Row>
  );
}

export function OwnSessionsCard() {
  const { data, error, refetch, isFetching } = useOwnSessions();
  const end = useEndSession();
  const endOthers = useEndOtherSessions();
  const [asked, setAsked] = useState<SessionId | "others" | null>(null);

  const confirm = () => {
    const onError = (failure: unknown) => toast.error(messageOf(failure, "Failed to end the session"));
    const onSettled = () => setAsked(null);
    if (asked === "others") {
      endOthers.mutate(undefined, { onSuccess: ({ message }) => toast.success(message), onError, onSettled });
    } else if (asked !== null) {
      end.mutate(asked, { onSuccess: () => toast.success("Session ended"), onError, onSettled });
    }
  };
  const hasOthers = data?.data.some((session) => !session.is_current) === true;

  return (
    <SectionCard
      title="Your sessions"
      description="Everywhere you are signed in. Use Sign Out to end this one."
      actions={
        hasOthers && (
          <Button variant="default" size="compact-md" onClick={() => setAsked("others")}>
            End all others
          </Button>
        )
      }
    >
      {data === undefined && error === null && <SectionLoading text="Loading your sessions..." />}
      {data === undefined && error !== null && (
        <ErrorState message={messageOf(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      )}
      {data?.data.length === 0 && <EmptyState title="No open sessions" />}
      {data !== undefined && (
        <RowList label="Your sessions">
          {data.data.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => setAsked(session.id)} />
          ))}
        </RowList>
      )}
      <ConfirmDialog
        opened={asked !== null}
        title={asked === "others" ? "End all other sessions" : "End session"}
        confirmLabel={asked === "others" ? "End all others" : "End session"}
        isBusy={end.isPending || endOthers.isPending}
        onConfirm={confirm}
        onCancel={() => setAsked(null)}
      >
        {asked === "others"
          ? "You are signed out everywhere else immediately, and all your API tokens stop working. This session stays open."
          : "That session is signed out immediately."}
      </ConfirmDialog>
    </SectionCard>
  );
}
