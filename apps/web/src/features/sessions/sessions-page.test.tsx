import type { PrivilegedSession } from "@strongroom/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { paths } from "#shared/paths.ts";
// Imported here so that no test waits for the terminal to compile.
import "./live/watch-dialog.tsx";
import "./playback/playback-dialog.tsx";
import SessionsPage from "./sessions-page.tsx";
import { startGateway } from "./testing/a-gateway.ts";
import { CAST_TEXT, SESSION_ID, aPage, aSession } from "./testing/a-session.ts";

const LIST = "GET /api/v1/sessions";
const ACTIVITY = "GET /api/v1/sessions/activity";
const CHOICES = "GET /api/v1/sessions/choices";
const at = (method: string, end: string) => `${method} /api/v1/sessions/${SESSION_ID}/${end}`;
const RECORDING = at("GET", "recording");
const { user_id: USER_ID, account_id: ACCOUNT_ID, safe_id: SAFE_ID } = aSession();
const NO_ACTIVITY = { json: { activities: [], entries: [] } };

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [LIST]: { json: aPage([aSession()]) },
    [ACTIVITY]: NO_ACTIVITY,
    [CHOICES]: { json: { users: [], accounts: [], safes: [] } },
  });
});
afterEach(() => api.close());

const show = (query = "") => renderScreen(<SessionsPage />, { at: `${paths.sessions}${query}` });
const rows = async () => within(await screen.findByRole("list", { name: "Sessions" })).getAllByRole("listitem");
const showOne = async (given: Partial<PrivilegedSession>) => {
  api.on(LIST, { json: aPage([aSession(given)]) });
  const view = show();
  return { ...view, row: within((await rows())[0]!) };
};

describe("the session monitoring page", () => {
  test("SES-01, SES-02: has its address and four cards with the server's figures", async () => {
    expect(paths.sessions).toBe("/sessions");
    show();
    await rows();
    const value = (label: string) => screen.getByRole("article", { name: label }).querySelector("p")?.textContent;
    expect(screen.getByRole("heading", { level: 1, name: "Session Monitoring" })).toBeTruthy();
    const labels = ["Active Sessions", "Recorded Today", "High Risk", "Avg Duration"];
    expect(labels.map(value)).toEqual(["2", "5", "1", "1h 5m"]);
  });

  test("SES-03, SES-08, SES-09, SES-11: lists the sessions of the field sessions", async () => {
    const { row } = await showOne({ riskLevel: "high", riskReasons: ["Outside working hours", "Break-glass access"] });
    for (const part of ["Ada on root on db1", "Active", "High", "10m ago", "2m ago"]) {
      expect(row.getByText(part)).toBeTruthy();
    }
    expect(row.getByText("root@db1.internal:22 · SSH · Safe Databases")).toBeTruthy();
    expect(row.getByText("Risk: Outside working hours, Break-glass access")).toBeTruthy();
  });

  test("a completed session shows why it ended", async () => {
    const { row } = await showOne({ status: "completed", ended_because: "Terminated by Ben: wrong host" });
    expect(row.getByText("Completed")).toBeTruthy();
    expect(row.getByText("Terminated by Ben: wrong host")).toBeTruthy();
  });

  test("a session whose recording was deleted says so", async () => {
    await showOne({
      status: "completed",
      actions: [],
      recording_deleted_at: new Date(Date.now() - 3_600_000).toISOString(),
    });
    expect((await rows())[0]?.textContent).toContain("Recording deleted 1h ago");
  });

  test("a recording shows its legal hold, or the day until which it is kept", async () => {
    await showOne({ is_recording_held: true });
    expect((await rows())[0]?.textContent).toContain("· Legal hold");
    expect((await rows())[0]?.textContent).not.toContain("kept until");
  });

  test("a recording with a retention shows the day until which it is kept", async () => {
    await showOne({ recording_deletes_at: "2026-12-24T10:00:00.000Z" });
    expect((await rows())[0]?.textContent).toContain("· Recording kept until Dec 24, 2026");
  });

  test.each([
    [
      ["watch", "play", "export", "message", "pause", "hold", "terminate"],
      ["Watch Live", "Playback", "Export", "Terminate"],
      ["Message", "Pause Input", "Legal Hold"],
    ],
    [["play", "release"], ["Playback"], ["Release Hold"]],
    [["play"], ["Playback"], []],
    [[], [], []],
  ] as const)(
    "SES-04, SES-05: the actions %j show exactly their buttons and entries",
    async (actions, buttons, entries) => {
      const { user, row } = await showOne({ actions: [...actions] });
      const texts = row.queryAllByRole("button").map(({ textContent }) => textContent);
      expect(texts.filter((text) => text !== "")).toEqual(buttons);
      const menu = row.queryByRole("button", { name: "Actions for Ada on root on db1" });
      expect(menu !== null).toBe(entries.length > 0);
      if (menu === null) return;
      await user.click(menu);
      expect((await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent)).toEqual(entries);
    },
  );

  test("SES-12, SES-14: a failed load shows the reason and Retry, and no sample sessions", async () => {
    api.on(LIST, problem(500, "internal", "The database is away."));
    const { user } = show();
    expect(await screen.findByText("Failed to load sessions: The database is away.")).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Sessions" })).toBeNull();
    api.on(LIST, { json: aPage([aSession()]) });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await rows()).toHaveLength(1);
  });

  test("an empty list explains what it will show", async () => {
    api.on(LIST, { json: aPage([], { average_seconds: null }) });
    show();
    expect(await screen.findByText("No sessions yet")).toBeTruthy();
    expect(screen.getByRole("article", { name: "Avg Duration" }).textContent).toContain("–");
  });

  test("filters are sent to the server and kept in the address", async () => {
    api.on(LIST, { json: aPage([]) });
    const { user } = show("?search=db1&status=active&period=hour");
    expect(await screen.findByText("No sessions found")).toBeTruthy();
    const sent = api.requestsTo(LIST).find(({ query }) => query.has("search"))!.query;
    expect([sent.get("search"), sent.get("status")]).toEqual(["db1", "active"]);
    const age = Date.now() - Date.parse(sent.get("from")!);
    expect(Math.abs(age - 3_600_000)).toBeLessThan(30_000);
    await user.click(screen.getByRole("combobox", { name: "Risk" }));
    await user.click(await screen.findByRole("option", { name: "High risk" }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)!.query.get("risk")).toBe("high"));
  });

  test.each([
    ["Protocol", "SSH", "protocol", "ssh"],
    ["User", "Ben", "user_id", USER_ID],
    ["Account", "root on db1", "account_id", ACCOUNT_ID],
    ["Safe", "Databases", "safe_id", SAFE_ID],
    ["Recording", "With a legal hold", "held", "true"],
  ])("the filter %s sends its choice %s as %s", async (label, choice, field, value) => {
    api.on(CHOICES, {
      json: {
        users: [{ id: USER_ID, name: "Ben" }],
        accounts: [{ id: ACCOUNT_ID, name: "root on db1" }],
        safes: [{ id: SAFE_ID, name: "Databases" }],
      },
    });
    const { user } = show();
    await rows();
    await user.click(screen.getByRole("combobox", { name: label }));
    await user.click(await screen.findByRole("option", { name: choice }));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)!.query.get(field)).toBe(value));
  });

  test("recent connections list each account once, with a link that connects again", async () => {
    const older = aSession({ id: "88888888-8888-4888-8888-888888888888" as PrivilegedSession["id"] });
    const own = [aSession(), { ...older, startTime: "2026-01-01T00:00:00.000Z" }];
    api.on(LIST, ({ query }) => ({ json: aPage(query.has("user_id") ? own : []) }));
    show();
    const list = within(await screen.findByRole("list", { name: "My Recent Connections" }));
    expect(list.getAllByRole("listitem")).toHaveLength(1);
    const link = list.getByRole("link", { name: "Connect: root on db1" });
    expect(link.getAttribute("href")).toBe(paths.connect(own[0]!.account_id));
  });

  test("Load more fetches the next page", async () => {
    api.on(LIST, ({ query }) => ({
      json: query.has("cursor")
        ? aPage([aSession({ id: "88888888-8888-4888-8888-888888888888" as PrivilegedSession["id"] })])
        : { ...aPage([aSession()]), next_cursor: "next" },
    }));
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Load More" }));
    await waitFor(async () => expect(await rows()).toHaveLength(2));
  });
});

test.each([
  [false, "Pause Input"],
  [true, "Resume Input"],
])("with is_input_paused %j, %s changes it", async (isPaused, label) => {
  api.on(at("POST", "pause"), { json: { message: "The input of Ada is changed" } });
  const { user, row } = await showOne({ actions: ["pause"], is_input_paused: isPaused });
  await user.click(row.getByRole("button", { name: "Actions for Ada on root on db1" }));
  await user.click(await screen.findByRole("menuitem", { name: label }));
  await waitFor(() => expect(api.requestsTo(at("POST", "pause"))[0]?.body).toEqual({ is_paused: !isPaused }));
  expect(await screen.findByText("The input of Ada is changed")).toBeTruthy();
});

describe("the Live Activity feed", () => {
  test("SES-06, SES-07, SES-10, OPEN-95: shows entries with their real times", async () => {
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const entries = [
      { session_id: SESSION_ID, at: ago(1000), text: "Ada started a session on db1" },
      { session_id: SESSION_ID, at: ago(7 * 60_000), text: "Ben watched" },
    ];
    api.on(ACTIVITY, { json: { activities: entries.map(({ text }) => text), entries } });
    show();
    const feed = await screen.findByRole("list", { name: "Live Activity" });
    expect(
      within(feed)
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent),
    ).toEqual(["Ada started a session on db1Just now", "Ben watched7m ago"]);
    expect(feed.tabIndex).toBe(0);
  });

  test("SES-13: a failed load shows the reason, and no sample entries", async () => {
    api.on(ACTIVITY, problem(500, "internal", "The database is away."));
    show();
    expect(await screen.findByText("Failed to load activity: The database is away.")).toBeTruthy();
  });
});

describe("the actions on a session", () => {
  test("OPEN-94: Terminate sends the reason and reports the reply", async () => {
    api.on(at("POST", "terminate"), { json: { message: "The session is ending." } });
    const { user, row } = await showOne({});
    await user.click(row.getByRole("button", { name: /^Terminate/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Terminate Session" }));
    const submit = dialog.getByRole("button", { name: "Terminate" });
    expect(submit).toHaveProperty("disabled", true);
    await user.type(dialog.getByRole("textbox", { name: "Reason" }), "wrong host");
    await user.click(submit);
    expect(await screen.findByText("The session is ending.")).toBeTruthy();
    expect(api.requestsTo(at("POST", "terminate"))[0]?.body).toEqual({ reason: "wrong host" });
  });

  test("a refused Terminate shows why and keeps the dialog", async () => {
    api.on(at("POST", "terminate"), problem(409, "privileged-session.ended", "The session has ended already."));
    const { user, row } = await showOne({});
    await user.click(row.getByRole("button", { name: /^Terminate/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Terminate Session" }));
    await user.type(dialog.getByRole("textbox", { name: "Reason" }), "late");
    await user.click(dialog.getByRole("button", { name: "Terminate" }));
    expect(await dialog.findByText("The session has ended already.")).toBeTruthy();
  });

  test.each([
    ["hold", "Legal Hold", "Legal Hold", "Place Hold"],
    ["release", "Release Hold", "Release Legal Hold", "Release Hold"],
  ] as const)("the dialog for %s sends the reason and reports the reply", async (action, label, title, submitLabel) => {
    const path = at("POST", `recording/${action}`);
    api.on(path, { json: { message: "Done." } });
    const { user, row } = await showOne({ actions: [action] });
    await user.click(row.getByRole("button", { name: "Actions for Ada on root on db1" }));
    await user.click(await screen.findByRole("menuitem", { name: label }));
    const dialog = within(await screen.findByRole("dialog", { name: title }));
    const submit = dialog.getByRole("button", { name: submitLabel });
    expect(submit).toHaveProperty("disabled", true);
    await user.type(dialog.getByRole("textbox", { name: "Reason" }), "Case 7");
    await user.click(submit);
    expect(await screen.findByText("Done.")).toBeTruthy();
    expect(api.requestsTo(path)[0]?.body).toEqual({ reason: "Case 7" });
  });

  test("Message sends the text to the user's terminal", async () => {
    api.on(at("POST", "message"), { json: { message: "Sent." } });
    const { user, row } = await showOne({});
    await user.click(row.getByRole("button", { name: "Actions for Ada on root on db1" }));
    await user.click(await screen.findByRole("menuitem", { name: "Message" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Message to the User" }));
    await user.type(dialog.getByRole("textbox", { name: "Message" }), "Please log out");
    await user.click(dialog.getByRole("button", { name: "Send" }));
    expect(await screen.findByText("Sent.")).toBeTruthy();
    expect(api.requestsTo(at("POST", "message"))[0]?.body).toEqual({ text: "Please log out" });
  });

  test("OPEN-94: Export saves the sealed recording under the session's name", async () => {
    api.on(at("GET", "recording/export"), { text: "sealed" });
    const saved: string[] = [];
    vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:x", revokeObjectURL: () => undefined }));
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    const { user, row } = await showOne({});
    await user.click(row.getByRole("button", { name: /^Export/ }));
    expect(await screen.findByText(/^Recording exported/)).toBeTruthy();
    expect(saved).toEqual([`session-${SESSION_ID}.srr`]);
  });

  test("OPEN-94: Watch Live shows the live session and its end", async () => {
    const gateway = await startGateway();
    const ticket = { ticket: "ticket-1", expires_at: new Date().toISOString(), connect_path: gateway.url };
    api.on(at("POST", "watch"), { status: 201, json: ticket });
    const { user, row } = await showOne({ actions: ["watch"] });
    await user.click(row.getByRole("button", { name: /^Watch Live/ }));
    await waitFor(() => expect(gateway.guests[0]?.received).toEqual([{ t: "ticket", ticket: "ticket-1" }]));
    gateway.guests[0]!.send({ t: "watching", session: SESSION_ID, user: "Ada" });
    expect(await screen.findByText("Live, read-only")).toBeTruthy();
    gateway.guests[0]!.send({ t: "end", reason: "target-closed", detail: null, exit: 0 });
    expect(await screen.findByText("The target closed the connection.")).toBeTruthy();
    await gateway.close();
  });

  test("OPEN-94: Playback loads the recording and plays, pauses and seeks", async () => {
    api.on(RECORDING, { text: CAST_TEXT });
    const { user, row } = await showOne({});
    await user.click(row.getByRole("button", { name: /^Playback/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Playback: Ada on root on db1" }));
    expect(await dialog.findByText(/ of 0:02$/)).toBeTruthy();
    await user.click(dialog.getByRole("checkbox", { name: "Skip idle time" }));
    expect(dialog.getByText(/ of 1:01$/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Pause" }));
    const slider = dialog.getByRole("slider", { name: "Position" });
    act(() => slider.focus());
    await user.keyboard("{End}");
    expect(dialog.getByText("1:01 of 1:01")).toBeTruthy();
    expect(dialog.getByRole("button", { name: "Play" })).toBeTruthy();
  });

  test("a recording that cannot be loaded shows why, with Retry", async () => {
    api.on(RECORDING, problem(404, "not-found", "The recording was deleted."));
    const { user, row } = await showOne({});
    await user.click(row.getByRole("button", { name: /^Playback/ }));
    expect(await screen.findByText("Failed to load the recording: The recording was deleted.")).toBeTruthy();
    api.on(RECORDING, { text: CAST_TEXT });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText(/ of 0:02$/)).toBeTruthy();
  });
});
