// Playback with marks, text search and copying, and the search across recordings that opens it.
import type { SessionDetails } from "@strongroom/contract";
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { SESSION_ID, aSession } from "../testing/a-session.ts";
import PlaybackDialog from "./playback-dialog.tsx";
import { SearchRecordings } from "./search-recordings.tsx";

const RECORDING = `GET /api/v1/sessions/${SESSION_ID}/recording`;
const DETAILS = `GET /api/v1/sessions/${SESSION_ID}`;
const SEARCH = "POST /api/v1/sessions/search";
const CAST = [
  '{"version":3,"term":{"cols":80,"rows":24}}',
  '[0.5,"o","$ ls\\r\\n"]',
  '[0,"m","command: ls"]',
  '[60,"o","$ sudo -i\\r\\n"]',
  '[0,"m","privilege: sudo -i"]',
  '[1,"o","root prompt\\r\\n"]',
  '[1,"o","bye\\r\\n"]',
  "",
].join("\n");
const NAME = "Playback: Ada on root on db1";

const detailsWith = (given: Partial<SessionDetails["recording"]> = {}): SessionDetails => ({
  ...aSession(),
  ends_at: new Date().toISOString(),
  source_address: "192.0.2.1",
  reason: null,
  ticket: null,
  gateway: null,
  input_bytes: 0,
  output_bytes: 0,
  recording: {
    status: "closed",
    bytes: 1,
    duration_seconds: 1,
    unstored_bytes: 0,
    retention_until: null,
    hold: null,
    ...given,
  },
});

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ [RECORDING]: { text: CAST }, [DETAILS]: { json: detailsWith() } });
});
afterEach(() => api.close());

const ignore = () => undefined;
const play = async (startAt?: number) => {
  const view = renderScreen(
    <PlaybackDialog session={aSession()} opened onClose={ignore} {...(startAt === undefined ? {} : { startAt })} />,
  );
  const dialog = within(await screen.findByRole("dialog", { name: NAME }));
  await dialog.findByText(/ of 0:04$/);
  return { ...view, dialog };
};

test("the player says who holds the recording and why", async () => {
  const hold = { since: "2026-11-02T10:00:00.000Z", by: "Ben", reason: "Case 7" };
  api.on(DETAILS, { json: detailsWith({ hold, retention_until: "2026-12-24T10:00:00.000Z" }) });
  const { dialog } = await play();
  expect(await dialog.findByText("Legal hold by Ben since Nov 2, 2026: Case 7")).toBeTruthy();
});

test("the player says until when the recording is kept", async () => {
  api.on(DETAILS, { json: detailsWith({ hold: null, retention_until: "2026-12-24T10:00:00.000Z" }) });
  const { dialog } = await play();
  expect(await dialog.findByText("Kept until Dec 24, 2026")).toBeTruthy();
});

test("choosing a mark shows its moment and stops", async () => {
  const { user, dialog } = await play();
  const marks = within(dialog.getByRole("list", { name: "Marks" }));
  const labels = marks.getAllByRole("button").map(({ textContent }) => textContent);
  expect(labels).toEqual(["0:01Commandls", "0:02Privilege changesudo -i"]);
  await user.click(marks.getByRole("button", { name: /sudo/ }));
  expect(dialog.getByText("0:02 of 0:04")).toBeTruthy();
  expect(dialog.getByRole("button", { name: "Play" })).toBeTruthy();
});

test("Find Next goes to the next match, and reports when there is none", async () => {
  const { user, dialog } = await play();
  const field = dialog.getByRole("textbox", { name: "Find in this recording" });
  await user.type(field, "ROOT{Enter}");
  expect(dialog.getByText("0:03 of 0:04")).toBeTruthy();
  await user.clear(field);
  await user.type(field, "nowhere{Enter}");
  expect(dialog.getByText("Not found in this recording")).toBeTruthy();
});

test("Copy text copies what the terminal shows", async () => {
  const { user, dialog } = await play(61);
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await dialog.findByText("0:03 of 0:04");
  await user.click(dialog.getByRole("button", { name: "Copy Text" }));
  expect(await screen.findByText("Text copied")).toBeTruthy();
  expect(copied.mock.calls[0]?.[0]).toMatch(/^\$ ls\n\$ sudo -i/);
});

test("a line that was found across recordings opens the player at its second", async () => {
  const lines = [{ at_seconds: 60.5, text: "$ sudo -i" }];
  const found = { hits: [{ session: aSession(), lines, count: 3 }], searched: 9, skipped: 1, next_cursor: "more" };
  api.on(SEARCH, { json: found });
  const { user } = renderScreen(<SearchRecordings />);
  await user.click(screen.getByRole("button", { name: "Search Recordings" }));
  await user.type(await screen.findByRole("textbox", { name: "Text" }), "sudo{Enter}");
  expect(await screen.findByText(/^1 of 9 recordings contain the text\. 1 could not/)).toBeTruthy();
  expect(screen.getByText("2 more lines")).toBeTruthy();
  api.on(SEARCH, { json: { hits: [], searched: 4, skipped: 0, next_cursor: null } });
  await user.click(screen.getByRole("button", { name: "Search Older Recordings" }));
  expect(await screen.findByText(/^1 of 13 recordings/)).toBeTruthy();
  expect(api.requestsTo(SEARCH).map(({ body }) => body)).toEqual([{ text: "sudo" }, { text: "sudo", cursor: "more" }]);
  await user.click(screen.getByRole("button", { name: "1:01 · $ sudo -i" }));
  const dialog = within(await screen.findByRole("dialog", { name: NAME }));
  expect(await dialog.findByText("0:02 of 0:04")).toBeTruthy();
});

test("a refused search shows why", async () => {
  api.on(SEARCH, problem(503, "database.unavailable", "The database is away."));
  const { user } = renderScreen(<SearchRecordings />);
  await user.click(screen.getByRole("button", { name: "Search Recordings" }));
  await user.type(await screen.findByRole("textbox", { name: "Text" }), "sudo{Enter}");
  expect(await screen.findByText("Failed to search: The database is away.")).toBeTruthy();
});
