// The user's open sessions, each with a button that ends it.
import { Button } from "@mantine/core";
import { IconDeviceDesktop } from "@tabler/icons-react";
import type { SessionId, UserSession } from "@strongroom/contract";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import { useEndOtherSessions, useEndSession, useOwnSessions } from "./own-sessions.queries.ts";

const LOCAL = [
  /^10\./,
  /^192\.168\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^169\.254\./,
  // RFC 6598 (carrier-grade NAT and VPNs), RFC 4193 and RFC 4291.
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^f[cd][0-9a-f]{2}:/,
  /^fe[89ab][0-9a-f]:/,
];

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/(Headless)?Chrome\//, "Chrome"],
  [/Version\/.*Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

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
            End Session
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
      title="Your Sessions"
      description="Everywhere you are signed in. Use Sign Out to end this one."
      actions={
        hasOthers && (
          <Button variant="default" size="compact-md" onClick={() => setAsked("others")}>
            End All Others
          </Button>
        )
      }
    >
      {data === undefined && error === null && <SectionSkeleton text="Loading your sessions..." />}
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
        title={asked === "others" ? "End All Other Sessions" : "End Session"}
        confirmLabel={asked === "others" ? "End All Others" : "End Session"}
        isBusy={end.isPending || endOthers.isPending}
        onConfirm={confirm}
        onCancel={() => setAsked(null)}
      >
        {asked === "others"
          ? "You are signed out everywhere else immediately, and all your API tokens and SSH keys stop working. This session stays open."
          : "That session is signed out immediately."}
      </ConfirmDialog>
    </SectionCard>
  );
}

const nameIn = (list: typeof BROWSERS, agent: string): string | undefined =>
  list.find(([pattern]) => pattern.test(agent))?.[1];

/** Falls back to the first words of the user agent, so that scripts appear under their own name. */
export function describeAgent(agent: string | null): string {
  if (agent === null || agent.trim() === "") return "Unknown client";
  const browser = nameIn(BROWSERS, agent);
  const system = nameIn(SYSTEMS, agent);
  if (browser === undefined) return agent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** `203.0.113.7 (internet)`; accepts IPv4, IPv6 and IPv4-mapped IPv6. */
export function describePlace(ip: string | null): string {
  if (ip === null) return "Address unknown";
  const address = ip.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (address === "::1" || address.startsWith("127.")) return `${address} (this machine, or a proxy on it)`;
  return `${address} (${LOCAL.some((range) => range.test(address)) ? "local network" : "internet"})`;
}
