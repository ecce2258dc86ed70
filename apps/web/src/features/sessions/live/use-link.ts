// Connects a screen to a session, and keeps the connection's state.
import { useEffect, useRef, useState } from "react";
import { socketUrl } from "#shared/api/call.ts";
import type { Screen } from "../screen/screen.ts";
import { CONNECTING, TerminalLink, type TerminalLinkState } from "./link.ts";

export interface SessionTicket {
  ticket: string;
  connect_path: string;
}

/** Only the first ticket counts. `isWatching`: read-only, in the size of the user's terminal. */
export function useLink({ ticket, connect_path: path }: SessionTicket, screen: Screen | null, isWatching: boolean) {
  const [state, setState] = useState<TerminalLinkState>(CONNECTING);
  const [notices, setNotices] = useState<readonly string[]>([]);
  const link = useRef<TerminalLink | null>(null);
  const given = useRef({ ticket, path, isWatching });
  useEffect(() => {
    if (screen === null) return undefined;
    const first = given.current;
    link.current = new TerminalLink({
      url: socketUrl(first.path),
      ticket: first.ticket,
      screen: {
        write: (data) => screen.write(data),
        resize: (size) => screen.resize(size),
        clear: () => screen.terminal.reset(),
      },
      ...(first.isWatching ? {} : { size: () => screen.fit() }),
      onState: setState,
      onNotice: (text) => setNotices((before) => [...before, text]),
    });
    return () => link.current?.close();
  }, [screen]);
  return { state, notices, dismiss: () => setNotices((before) => before.slice(1)), link };
}
