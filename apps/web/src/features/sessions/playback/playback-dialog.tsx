// Plays the recording of a session. Each opening is audited.
import { Button, Checkbox, Group, Select, Slider, Stack } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { countdown } from "#shared/format/time.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import { useOnce } from "#shared/ui/use-once.ts";
import type { Screen } from "../screen/screen.ts";
import { ScreenView } from "../screen/screen-view.tsx";
import type { SessionDialogProps } from "../session-dialogs.tsx";
import { nameOf } from "../session-labels.ts";
import { readRecording } from "../sessions.queries.ts";
import { Player, SPEEDS, parseCast, type Cast } from "./player.ts";

const TICK_MS = 50;
/** Positions with the keyboard's arrow keys. */
const STEP_MS = 1000;

export default function PlaybackDialog({ session, opened, onClose }: SessionDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Playback: ${nameOf(session)}`} size="2xl">
      <Recording key={session.id} session={session} />
    </Modal>
  );
}

type Loading = { kind: "loading" } | { kind: "failed"; text: string } | { kind: "loaded"; cast: Cast };

function Recording({ session }: Pick<SessionDialogProps, "session">) {
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
  return <Playback cast={state.cast} label={`Recording of ${nameOf(session)}`} />;
}

function Playback({ cast, label }: { cast: Cast; label: string }) {
  const [player, setPlayer] = useState<Player | null>(null);
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
  const length = player?.duration ?? 0;
  const time = `${countdown(position)} of ${countdown(length)}`;
  const PlayIcon = isPlaying ? IconPlayerPause : IconPlayerPlay;
  return (
    <Stack gap="sm">
      <ScreenView
        label={label}
        onScreen={(screen: Screen | null) => setPlayer(screen && new Player(cast, screen, true))}
      />
      <Slider
        thumbLabel="Position"
        min={0}
        max={Math.max(1, length)}
        step={STEP_MS}
        value={position}
        onChange={seek}
        label={(value) => countdown(value)}
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
        <Checkbox label="Skip idle time" checked={skipsIdle} onChange={(event) => skip(event.currentTarget.checked)} />
        <span>{time}</span>
      </Group>
    </Stack>
  );
}
