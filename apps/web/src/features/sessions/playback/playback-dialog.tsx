// Plays the recording of a session. Each opening is audited.
import { Button, Checkbox, Group, Select, Slider } from "@mantine/core";
import { IconCopy, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import type { PrivilegedSession } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { countdown, shortDate } from "#shared/format/time.ts";
import { copyText } from "#shared/ui/copy.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import { useOnce } from "#shared/ui/use-once.ts";
import type { Screen } from "../screen/screen.ts";
import { ScreenView } from "../screen/screen-view.tsx";
import type { SessionDialogProps } from "../session-dialogs.tsx";
import { nameOf } from "../session-labels.ts";
import { readRecording, sessionDetails } from "../sessions.queries.ts";
import { marksOf } from "./cast-text.ts";
import { Finder } from "./finder.tsx";
import { MarkList } from "./mark-list.tsx";
import classes from "./playback.module.css";
import { Player, SPEEDS, parseCast, type Cast } from "./player.ts";

const TICK_MS = 50;
/** More marks would hide the timeline; the list has all of them. */
const MOST_TICKS = 300;
/** Positions with the keyboard's arrow keys. */
const STEP_MS = 1000;

export interface PlaybackDialogProps extends SessionDialogProps {
  /** Opens the recording at this second. */
  startAt?: number;
  /** It opens over another dialog. */
  isOnTop?: boolean;
}

export default function PlaybackDialog({ session, opened, onClose, startAt, isOnTop = false }: PlaybackDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} isOnTop={isOnTop} title={`Playback: ${nameOf(session)}`} size="2xl">
      <Retention session={session} />
      <Recording key={session.id} session={session} startAt={startAt} />
    </Modal>
  );
}

/** How long the recording is kept, and why. Nothing without a limit. */
function Retention({ session }: { session: PrivilegedSession }) {
  const recording = useQuery(sessionDetails(session.id)).data?.recording ?? null;
  if (recording === null) return null;
  const { hold, retention_until: until } = recording;
  if (hold === null && until === null) return null;
  const text =
    hold === null
      ? `Kept until ${shortDate(until ?? "")}`
      : `Legal hold by ${hold.by} since ${shortDate(hold.since)}: ${hold.reason}`;
  return <p className={classes.retention}>{text}</p>;
}

type Loading = { kind: "loading" } | { kind: "failed"; text: string } | { kind: "loaded"; cast: Cast };

function Recording({ session, startAt }: { session: PrivilegedSession; startAt: number | undefined }) {
  const [state, setState] = useState<Loading>({ kind: "loading" });
  const isHere = useIsHere();
  const load = async (): Promise<void> => {
    setState({ kind: "loading" });
    try {
      const cast = parseCast(await readRecording(session.id));
      if (isHere()) setState({ kind: "loaded", cast });
    } catch (error) {
      if (isHere()) setState({ kind: "failed", text: `Failed to load the recording: ${messageOf(error)}` });
    }
  };
  useOnce(() => void load());
  if (state.kind === "loading") return <SectionLoading text="Loading the recording..." />;
  if (state.kind === "failed") return <ErrorState message={state.text} onRetry={() => void load()} />;
  return <Playback cast={state.cast} label={`Recording of ${nameOf(session)}`} startAt={startAt} />;
}

interface PlaybackProps {
  cast: Cast;
  label: string;
  startAt: number | undefined;
}

function Playback({ cast, label, startAt }: PlaybackProps) {
  const [player, setPlayer] = useState<Player | null>(null);
  const [screen, setScreen] = useState<Screen | null>(null);
  const marks = useMemo(() => marksOf(cast.events), [cast]);
  const [isPlaying, setIsPlaying] = useState(true);
  const [speed, setSpeed] = useState<number>(1);
  const [skipsIdle, setSkipsIdle] = useState(true);
  const [position, setPosition] = useState(0);

  useEffect(() => {
    if (player === null || !isPlaying) return undefined;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      void player.advance((now - last) * speed);
      last = now;
      setPosition(player.position);
      if (player.isOver) setIsPlaying(false);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [player, isPlaying, speed]);

  const seek = (to: number): void => {
    if (player === null) return;
    void player.seek(to);
    setPosition(player.position);
  };
  const toggle = (): void => {
    if (!isPlaying && player?.isOver === true) seek(0);
    setIsPlaying(!isPlaying);
  };
  const skip = (skips: boolean): void => {
    player?.setSkipsIdle(skips);
    setSkipsIdle(skips);
    setPosition(player?.position ?? 0);
  };
  const begin = (opened: Screen | null): void => {
    const started = opened && new Player(cast, opened, true);
    setScreen(opened);
    setPlayer(started);
    if (started === null || startAt === undefined) return;
    void started.seek(started.positionAt(startAt * 1000));
    setPosition(started.position);
    setIsPlaying(false);
  };
  /** Stops there, so that what was looked for stays on the screen. */
  const show = (event: number): void => {
    setIsPlaying(false);
    seek(player?.positionOf(event) ?? 0);
  };
  const copy = async (): Promise<void> => {
    try {
      await copyText(screen?.copyText() ?? "");
      toast.success("Text copied");
    } catch (error) {
      toast.error(messageOf(error), { title: "Failed to copy the text" });
    }
  };
  const length = player?.duration ?? 0;
  const time = `${countdown(position)} of ${countdown(length)}`;
  const PlayIcon = isPlaying ? IconPlayerPause : IconPlayerPlay;
  return (
    <div className={classes.stage}>
      <ScreenView label={label} onScreen={begin} />
      <div className={classes.controls}>
        <Slider
          thumbLabel="Position"
          min={0}
          max={Math.max(1, length)}
          step={STEP_MS}
          value={position}
          onChange={seek}
          label={(value) => countdown(value)}
          marks={marks.slice(0, MOST_TICKS).map(({ index }) => ({ value: player?.positionOf(index) ?? 0 }))}
        />
        <Group gap="sm">
          <Button leftSection={<PlayIcon size={16} aria-hidden />} onClick={toggle} data-autofocus>
            {isPlaying ? "Pause" : "Play"}
          </Button>
          <Select
            aria-label="Speed"
            w="6.5rem"
            data={SPEEDS.map((value) => ({ value: String(value), label: `${value}×` }))}
            value={String(speed)}
            allowDeselect={false}
            onChange={(value) => setSpeed(Number(value ?? 1))}
          />
          <Checkbox
            label="Skip idle time"
            checked={skipsIdle}
            onChange={(event) => skip(event.currentTarget.checked)}
          />
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={() => void copy()}>
            Copy Text
          </Button>
          <span>{time}</span>
        </Group>
        <Finder cast={cast} after={() => player?.shownEvent ?? -1} onFound={show} />
      </div>
      {marks.length > 0 && (
        <MarkList marks={marks} timeOf={(mark) => countdown(player?.positionOf(mark.index) ?? 0)} onChoose={show} />
      )}
    </div>
  );
}
