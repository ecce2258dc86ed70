// "JIT Sessions": active sessions and whether their accounts work (VAL-26 to VAL-31).
import { IconClockOff } from "@tabler/icons-react";
import type { JitSessionValidation } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "#shared/format/text.ts";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { JitSessionCard } from "./jit-session-card.tsx";
import { JitSessionDialog } from "./jit-session-dialog.tsx";
import classes from "./jit-tab.module.css";
import { jitSessions } from "../validation.queries.ts";

export function JitTab() {
  const list = useInfiniteQuery(jitSessions);
  const [chosen, setChosen] = useState<string | null>(null);
  const sessions = list.data?.pages.flatMap((page) => page.sessions) ?? [];
  return (
    <>
      <Loaded query={list} loadingText="Loading sessions...">
        {({ pages }) => <Sessions sessions={sessions} withIssues={pages[0]?.with_issues ?? 0} onOpen={setChosen} />}
      </Loaded>
      <LoadMore of={list} />
      <JitSessionDialog
        session={sessions.find((session) => session.session_id === chosen) ?? null}
        onClose={() => setChosen(null)}
      />
    </>
  );
}

interface SessionsProps {
  sessions: readonly JitSessionValidation[];
  withIssues: number;
  onOpen: (sessionId: string) => void;
}

function Sessions({ sessions, withIssues, onOpen }: SessionsProps) {
  if (sessions.length === 0) {
    return (
      <EmptyState
        icon={IconClockOff}
        title="No Active JIT Sessions"
        text="Sessions appear here while access is active."
      />
    );
  }
  return (
    <>
      {withIssues > 0 && (
        <p className={classes.issues}>
          <Tag tone="danger">{counted(withIssues, "session")} with issues</Tag>
        </p>
      )}
      <ul className={classes.grid} aria-label="JIT sessions">
        {sessions.map((session) => (
          <li key={session.session_id} className={classes.cell}>
            <JitSessionCard session={session} onOpen={() => onOpen(session.session_id)} />
          </li>
        ))}
      </ul>
    </>
  );
}
