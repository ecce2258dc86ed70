// Watches a live session, read-only. Its user is notified.
import { Button, Group, Stack } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import { useOnce } from "#shared/ui/use-once.ts";
import type { Screen } from "../screen/screen.ts";
import { ScreenView } from "../screen/screen-view.tsx";
import type { SessionDialogProps } from "../session-dialogs.tsx";
import { endText, nameOf } from "../session-labels.ts";
import { startWatching } from "../sessions.queries.ts";
import { TerminalSearch } from "../terminal/terminal-search.tsx";
import { useLink, type SessionTicket } from "./use-link.ts";

export default function WatchDialog({ session, opened, onClose }: SessionDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Watch Live: ${nameOf(session)}`} size="2xl">
      <Watch key={session.id} session={session} />
    </Modal>
  );
}

function Watch({ session }: Pick<SessionDialogProps, "session">) {
  const [ticket, setTicket] = useState<SessionTicket | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isHere = useIsHere();
  const start = async (): Promise<void> => {
    setFailure(null);
    try {
      const issued = await startWatching(session.id);
      if (isHere()) setTicket(issued);
    } catch (error) {
      if (isHere()) setFailure(`Failed to watch the session: ${messageOf(error)}`);
    }
  };
  useOnce(() => void start());
  if (failure !== null) return <ErrorState message={failure} onRetry={() => void start()} />;
  if (ticket === null) return <SectionLoading text="Connecting..." />;
  return <Watched ticket={ticket} label={`Live session of ${nameOf(session)}`} />;
}

function Watched({ ticket, label }: { ticket: SessionTicket; label: string }) {
  const [screen, setScreen] = useState<Screen | null>(null);
  const [isSearching, setIsSearching] = useState(false);
  const { state } = useLink(ticket, screen, true);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <p style={{ margin: 0 }} role="status">
          {state.end !== null ? endText(state.end) : state.phase === "live" ? "Live, read-only" : "Connecting..."}
        </p>
        {screen !== null && !isSearching && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconSearch size={15} aria-hidden />}
            onClick={() => setIsSearching(true)}
          >
            Search
          </Button>
        )}
      </Group>
      {screen !== null && isSearching && <TerminalSearch screen={screen} onClose={() => setIsSearching(false)} />}
      <ScreenView label={label} onScreen={setScreen} />
    </Stack>
  );
}
