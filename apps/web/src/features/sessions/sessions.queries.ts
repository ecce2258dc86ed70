// Server state of privileged sessions: the list, the activity feed, and what a reader does with one session.
import {
  exportSessionRecording,
  holdSessionRecording,
  listPrivilegedSessions,
  listSessionActivity,
  listSessionChoices,
  messagePrivilegedSession,
  pausePrivilegedSession,
  readPrivilegedSession,
  readSessionRecording,
  releaseSessionRecording,
  searchRecordings,
  startPrivilegedSession,
  terminatePrivilegedSession,
  watchPrivilegedSession,
  type AccountId,
  type InputOf,
  type PrivilegedSessionId,
  type ReplyOf,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import { PERIODS, type Period } from "./session-labels.ts";

const PATH = "/api/v1/sessions";
const PAGE_SIZE = 50;

type ListQuery = NonNullable<InputOf<typeof listPrivilegedSessions>["query"]>;

export interface SessionFilter extends Pick<
  ListQuery,
  "status" | "protocol" | "risk" | "user_id" | "account_id" | "safe_id" | "search" | "held"
> {
  period: Period;
}

export const isFiltered = ({ period, ...rest }: SessionFilter): boolean =>
  period !== "any" || Object.values(rest).some((value) => value !== undefined);

/** The start of the period is computed with each load, so that the list moves with the clock. */
export const sessionList = (filter: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listPrivilegedSessions).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam, signal }) => {
      const { period, ...rest } = filter;
      const { ms } = PERIODS[period];
      const from = ms === null ? undefined : new Date(Date.now() - ms).toISOString();
      return call(
        listPrivilegedSessions,
        { query: { ...rest, from, limit: PAGE_SIZE, cursor: pageParam } },
        { signal },
      );
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: ReplyOf<typeof listPrivilegedSessions>) => page.next_cursor ?? undefined,
  });

export const recentSessions = (userId: string) =>
  queryOf(listPrivilegedSessions, { query: { user_id: userId, limit: 20 } });

export const activity = queryOf(listSessionActivity);

export const filterChoices = queryOf(listSessionChoices);

const at = (id: PrivilegedSessionId) => ({ params: { id } });

export async function terminate(client: QueryClient, id: PrivilegedSessionId, reason: string) {
  const done = await call(terminatePrivilegedSession, { ...at(id), body: { reason } });
  void invalidatePath(client, PATH);
  return done;
}

export async function holdRecording(client: QueryClient, id: PrivilegedSessionId, reason: string) {
  const done = await call(holdSessionRecording, { ...at(id), body: { reason } });
  void invalidatePath(client, PATH);
  return done;
}

export async function releaseRecording(client: QueryClient, id: PrivilegedSessionId, reason: string) {
  const done = await call(releaseSessionRecording, { ...at(id), body: { reason } });
  void invalidatePath(client, PATH);
  return done;
}

export const sessionDetails = (id: PrivilegedSessionId) => queryOf(readPrivilegedSession, at(id));

export async function pauseInput(client: QueryClient, id: PrivilegedSessionId, isPaused: boolean) {
  const done = await call(pausePrivilegedSession, { ...at(id), body: { is_paused: isPaused } });
  void invalidatePath(client, PATH);
  return done;
}

export const sendMessage = (id: PrivilegedSessionId, text: string) =>
  call(messagePrivilegedSession, { ...at(id), body: { text } });

export interface Justification {
  reason: string;
  ticket: string;
}

/** Not a mutation either: its reply holds a ticket. The server expects empty fields to be omitted. */
export const startSession = (id: AccountId, { reason, ticket }: Justification) =>
  call(startPrivilegedSession, {
    params: { id },
    body: {
      ...(reason.trim() === "" ? {} : { reason }),
      ...(ticket.trim() === "" ? {} : { ticket }),
    },
  });

/** Not a query or mutation, because both keep their results, and this one is a ticket. */
export const startWatching = (id: PrivilegedSessionId) => call(watchPrivilegedSession, at(id));

/** Not a query: a recording may show secrets, so it stays out of every cache. */
export async function readRecording(id: PrivilegedSessionId): Promise<Uint8Array> {
  return new Uint8Array(await (await download(readSessionRecording, at(id))).arrayBuffer());
}

/** Not a query: its hits may show secrets. Continues at `cursor`. */
export const findInRecordings = (text: string, cursor: string | null) =>
  call(searchRecordings, { body: { text, ...(cursor === null ? {} : { cursor }) } });

export const recordingExport = (id: PrivilegedSessionId) =>
  mutationOptions({
    mutationFn: async () => saveFile(`session-${id}.srr`, await download(exportSessionRecording, at(id))),
  });
