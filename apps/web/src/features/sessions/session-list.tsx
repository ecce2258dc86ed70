// The list of sessions with the actions that the server allows on each (SES-03 to SES-05, SES-08, SES-11).
import { Button } from "@mantine/core";
import {
  IconDownload,
  IconEye,
  IconKeyboard,
  IconKeyboardOff,
  IconLock,
  IconLockOpen,
  IconMessage,
  IconPlayerPlay,
  IconPlayerStop,
  IconTerminal2,
  type Icon,
} from "@tabler/icons-react";
import type { PrivilegedSession, SessionAction } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { duration, shortDate } from "#shared/format/time.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { RowMenu, type RowAction } from "#shared/ui/row-menu.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { SeverityBadge, StatusBadge } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import { HoldDialog, ReleaseDialog } from "./hold-dialogs.tsx";
import { MessageDialog, TerminateDialog } from "./session-dialogs.tsx";
import { STATUS_BADGE, STATUS_LABELS, nameOf } from "./session-labels.ts";
import { pauseInput, recordingExport } from "./sessions.queries.ts";
import classes from "./sessions.module.css";

// Loaded on demand, because the terminal is large.
const WatchDialog = lazy(() => import("./live/watch-dialog.tsx"));
const PlaybackDialog = lazy(() => import("./playback/playback-dialog.tsx"));

type DialogName = Exclude<SessionAction, "export" | "pause">;

export interface SessionListProps {
  sessions: readonly PrivilegedSession[];
  isFiltered: boolean;
}

export function SessionList({ sessions, isFiltered }: SessionListProps) {
  const [chosen, setChosen] = useState<{ session: PrivilegedSession; dialog: DialogName } | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const open = (session: PrivilegedSession, dialog: DialogName): void => {
    setChosen({ session, dialog });
    setIsOpen(true);
  };
  const dialogProps = (dialog: DialogName) => ({
    opened: isOpen && chosen?.dialog === dialog,
    onClose: () => setIsOpen(false),
  });
  return (
    <>
      {sessions.length === 0 ? (
        <EmptyState
          icon={IconTerminal2}
          title={isFiltered ? "No sessions found" : "No sessions yet"}
          text={
            isFiltered
              ? "No sessions match your search and filters."
              : "Your sessions appear here, and those in safes whose audit trail you may view."
          }
        />
      ) : (
        <RowList label="Sessions">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onOpen={open} />
          ))}
        </RowList>
      )}
      {chosen !== null && (
        <>
          <TerminateDialog session={chosen.session} {...dialogProps("terminate")} />
          <MessageDialog session={chosen.session} {...dialogProps("message")} />
          <HoldDialog session={chosen.session} {...dialogProps("hold")} />
          <ReleaseDialog session={chosen.session} {...dialogProps("release")} />
          {chosen.dialog === "watch" && (
            <Suspense fallback={null}>
              <WatchDialog session={chosen.session} {...dialogProps("watch")} />
            </Suspense>
          )}
          {chosen.dialog === "play" && (
            <Suspense fallback={null}>
              <PlaybackDialog session={chosen.session} {...dialogProps("play")} />
            </Suspense>
          )}
        </>
      )}
    </>
  );
}

interface SessionRowProps {
  session: PrivilegedSession;
  onOpen: (session: PrivilegedSession, dialog: DialogName) => void;
}

function SessionRow({ session, onOpen }: SessionRowProps) {
  const isActive = session.status === "active";
  return (
    <Row
      icon={<IconTerminal2 size={18} aria-hidden />}
      isOver={!isActive}
      name={
        <>
          <span>{nameOf(session)}</span>
          <StatusBadge status={STATUS_BADGE[session.status]} label={STATUS_LABELS[session.status]} />
          <SeverityBadge severity={session.riskLevel} />
        </>
      }
    >
      <RowDetail>
        {`${session.remote_user}@${session.target} · ${session.protocol.toUpperCase()} · Safe ${session.safe_name}`}
      </RowDetail>
      <RowDetail>
        Started: <RelativeTime moment={session.startTime} /> · {duration(session.duration_seconds)}
        {isActive && session.lastActivity !== null && (
          <>
            {" "}
            · Last activity: <RelativeTime moment={session.lastActivity} />
          </>
        )}
        {!session.is_recorded && " · Not recorded"}
        {session.recording_deleted_at !== null && (
          <>
            {" "}
            · Recording deleted <RelativeTime moment={session.recording_deleted_at} />
          </>
        )}
        {session.is_recording_held && " · Legal hold"}
        {session.recording_deletes_at !== null && ` · Recording kept until ${shortDate(session.recording_deletes_at)}`}
        {isActive && session.is_input_paused && " · Input paused"}
      </RowDetail>
      {session.ended_because !== null && <RowDetail>{session.ended_because}</RowDetail>}
      {session.riskReasons.length > 0 && <RowDetail>{`Risk: ${session.riskReasons.join(", ")}`}</RowDetail>}
      {session.actions.length > 0 && (
        <div className={classes.rowActions}>
          <SessionActions session={session} onOpen={onOpen} />
        </div>
      )}
    </Row>
  );
}

function SessionActions({ session, onOpen }: SessionRowProps) {
  const exporting = useMutation(recordingExport(session.id));
  const save = () =>
    exporting.mutate(undefined, {
      onSuccess: () => toast.success("Recording exported. Check it with: strongroom recording verify"),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to export the recording" }),
    });
  const client = useQueryClient();
  const isPaused = session.is_input_paused;
  const pausing = useMutation({ mutationFn: () => pauseInput(client, session.id, !isPaused) });
  const pause = () =>
    pausing.mutate(undefined, {
      onSuccess: ({ message }) => toast.success(message),
      onError: (error) =>
        toast.error(messageOf(error), { title: `Failed to ${isPaused ? "resume" : "pause"} the input` }),
    });
  const may = (action: SessionAction) => session.actions.includes(action);
  const entry = (action: DialogName, label: string, entryIcon: Icon): RowAction[] =>
    may(action) ? [{ label, icon: entryIcon, onClick: () => onOpen(session, action) }] : [];
  const others: RowAction[] = [
    ...entry("message", "Message", IconMessage),
    ...(may("pause")
      ? [
          isPaused
            ? { label: "Resume Input", icon: IconKeyboard, onClick: pause }
            : { label: "Pause Input", icon: IconKeyboardOff, onClick: pause },
        ]
      : []),
    ...entry("hold", "Legal Hold", IconLock),
    ...entry("release", "Release Hold", IconLockOpen),
  ];
  const button = (label: string, ButtonIcon: Icon, onClick: () => void, more = {}) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${label}: ${nameOf(session)}`}
      leftSection={<ButtonIcon size={15} aria-hidden />}
      onClick={onClick}
      {...more}
    >
      {label}
    </Button>
  );
  return (
    <>
      {may("watch") && button("Watch Live", IconEye, () => onOpen(session, "watch"))}
      {may("play") && button("Playback", IconPlayerPlay, () => onOpen(session, "play"))}
      {may("export") && button("Export", IconDownload, save, { loading: exporting.isPending })}
      {may("terminate") &&
        button("Terminate", IconPlayerStop, () => onOpen(session, "terminate"), { variant: "light", color: "red" })}
      {others.length > 0 && <RowMenu name={nameOf(session)} actionsOf={() => others} />}
    </>
  );
}
