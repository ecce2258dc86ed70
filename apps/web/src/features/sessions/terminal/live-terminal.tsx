// The terminal of the user's own session, with its state and controls.
import { ActionIcon, Alert, Button, Group, Tooltip } from "@mantine/core";
import {
  IconAccessible,
  IconAlertTriangle,
  IconArrowsMaximize,
  IconCopy,
  IconEye,
  IconFolder,
  IconInfoCircle,
  IconPlugConnectedX,
  IconSearch,
  IconVideo,
  IconZoomIn,
  IconZoomOut,
  type Icon,
} from "@tabler/icons-react";
import type { Account, PrivilegedSessionId } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { paths } from "#shared/paths.ts";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import type { TerminalLinkState } from "../live/link.ts";
import { useLink, type SessionTicket } from "../live/use-link.ts";
import { FONT_SIZES, type Screen } from "../screen/screen.ts";
import { ScreenView } from "../screen/screen-view.tsx";
import { endText } from "../session-labels.ts";
import { terminate, type Justification } from "../sessions.queries.ts";
import classes from "../sessions.module.css";
import { TerminalSearch } from "./terminal-search.tsx";

const FilesDialog = lazy(() => import("../files/files-dialog.tsx"));

const PHASES: Record<TerminalLinkState["phase"], string> = {
  connecting: "Connecting...",
  live: "Connected",
  reconnecting: "The connection was lost. Reconnecting...",
  ended: "Ended",
};

export interface LiveTerminalProps {
  session: SessionTicket & { session_id: PrivilegedSessionId };
  account: Pick<Account, "id" | "name">;
  /** The session's justification; also used for its files. */
  justification: Justification;
  onAgain: () => void;
}

export function LiveTerminal({ session, account, justification, onAgain }: LiveTerminalProps) {
  const [screen, setScreen] = useState<Screen | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const controls = useRef<HTMLDivElement>(null);
  const { state, notices, dismiss, link } = useLink(session, screen, false);
  const { phase } = state;
  const [isFinding, setIsFinding] = useState(false);
  const [areFilesOpen, setAreFilesOpen] = useState(false);

  useEffect(() => {
    if (screen === null || frame.current === null) return undefined;
    const fit = (): void => link.current?.resize(screen.fit());
    const observer = new ResizeObserver(fit);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [screen, link]);
  useEffect(() => {
    if (phase === "live") screen?.terminal.focus();
  }, [phase, screen]);

  if (state.end !== null) {
    return (
      <div role="alert">
        <EmptyState
          icon={IconPlugConnectedX}
          title="Session ended"
          text={endText(state.end)}
          action={
            <Group gap="xs" justify="center">
              <Button onClick={onAgain}>Connect Again</Button>
              <Button component={Link} to={paths.account(account.id)} variant="default">
                Back to the Account
              </Button>
            </Group>
          }
        />
      </div>
    );
  }
  return (
    <div ref={frame} className={classes.terminal}>
      <div ref={controls} className={classes.controls} role="toolbar" aria-label="Terminal">
        <div className={classes.controlGroup}>
          <span role="status">{state.paused === null ? PHASES[phase] : `Paused: ${state.paused}`}</span>
          {state.isRecorded && (
            <Tag tone="danger" icon={<IconVideo size={13} aria-hidden />}>
              {state.isInputRecorded ? "Recorded with input" : "Recorded"}
            </Tag>
          )}
          {state.watchers > 0 && (
            <Tag tone="warning" icon={<IconEye size={13} aria-hidden />}>
              {`Watched by ${state.watchers}`}
            </Tag>
          )}
        </div>
        <div className={classes.controlGroup}>
          {screen !== null && (
            <Controls
              screen={screen}
              frame={frame}
              isFinding={isFinding}
              onFind={() => setIsFinding(!isFinding)}
              onFiles={() => setAreFilesOpen(true)}
              onSize={() => link.current?.resize(screen.fit())}
            />
          )}
          <Disconnect id={session.session_id} />
        </div>
      </div>
      {notices[0] !== undefined && (
        <Alert
          color="petrol"
          variant="light"
          role="alert"
          icon={<IconInfoCircle aria-hidden />}
          withCloseButton
          closeButtonLabel={notices.length === 1 ? "Close" : `Close, ${counted(notices.length - 1, "more notice")}`}
          onClose={dismiss}
        >
          {notices[0]}
        </Alert>
      )}
      {phase === "reconnecting" && (
        <Alert color="brass" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          The session continues for 60 seconds. What you type now is not sent.
        </Alert>
      )}
      {isFinding && screen !== null && (
        <TerminalSearch
          screen={screen}
          onClose={() => {
            setIsFinding(false);
            screen.terminal.focus();
          }}
        />
      )}
      <ScreenView
        label={`Terminal of ${account.name}`}
        isFilling
        onScreen={setScreen}
        onInput={(data) => link.current?.input(data)}
        onFind={() => setIsFinding(true)}
        onLeave={() => controls.current?.querySelector("button")?.focus()}
      />
      <p className={classes.sentence}>
        Ctrl+Shift+C copies, Ctrl+Shift+V pastes, Ctrl+Shift+F searches, Ctrl+Shift+Home moves the focus to the buttons.
      </p>
      <Suspense>
        {areFilesOpen && (
          <FilesDialog
            account={account}
            justification={justification}
            opened={areFilesOpen}
            onClose={() => setAreFilesOpen(false)}
          />
        )}
      </Suspense>
    </div>
  );
}

interface ControlsProps {
  screen: Screen;
  frame: React.RefObject<HTMLDivElement | null>;
  isFinding: boolean;
  onFind: () => void;
  onFiles: () => void;
  onSize: () => void;
}

function Controls({ screen, frame, isFinding, onFind, onFiles, onSize }: ControlsProps) {
  const [isAccessible, setIsAccessible] = useState(false);
  const toggleAccessible = (): void => {
    screen.setAccessible(!isAccessible);
    setIsAccessible(!isAccessible);
  };
  const [fontSize, setFontSize] = useState<number>(FONT_SIZES.initial);
  const zoom = (by: number) => (): void => {
    const next = Math.min(FONT_SIZES.max, Math.max(FONT_SIZES.min, fontSize + by));
    setFontSize(next);
    screen.terminal.options.fontSize = next;
    onSize();
  };
  return (
    <>
      <Control label="Copy Selection" icon={IconCopy} onClick={() => screen.copySelection()} />
      <Control label="Search" icon={IconSearch} isPressed={isFinding} onClick={onFind} />
      <Control label="Files" icon={IconFolder} onClick={onFiles} />
      <Control label="Accessible Mode" icon={IconAccessible} isPressed={isAccessible} onClick={toggleAccessible} />
      <Control
        label="Smaller Text"
        icon={IconZoomOut}
        isDisabled={fontSize === FONT_SIZES.min}
        onClick={zoom(-FONT_SIZES.step)}
      />
      <Control
        label="Larger Text"
        icon={IconZoomIn}
        isDisabled={fontSize === FONT_SIZES.max}
        onClick={zoom(FONT_SIZES.step)}
      />
      {document.fullscreenEnabled && (
        <Control
          label="Full Screen"
          icon={IconArrowsMaximize}
          onClick={() =>
            void (document.fullscreenElement === null ? frame.current?.requestFullscreen() : document.exitFullscreen())
          }
        />
      )}
    </>
  );
}

interface ControlProps {
  label: string;
  icon: Icon;
  isDisabled?: boolean;
  /** For a control that switches something on and off. */
  isPressed?: boolean;
  onClick: () => void;
}

const Control = ({ label, icon: ControlIcon, isDisabled = false, isPressed, onClick }: ControlProps) => (
  <Tooltip label={label} withinPortal={false}>
    <ActionIcon
      variant={isPressed === true ? "filled" : "default"}
      aria-label={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      <ControlIcon size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);

/** The gateway then ends the terminal and says why. */
function Disconnect({ id }: { id: PrivilegedSessionId }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({ mutationFn: () => terminate(client, id, "disconnected") });
  const disconnect = () =>
    mutate(undefined, { onError: (error) => toast.error(messageOf(error), { title: "Failed to disconnect" }) });
  return (
    <Button size="compact-sm" variant="light" color="red" onClick={disconnect} loading={isPending}>
      Disconnect
    </Button>
  );
}
