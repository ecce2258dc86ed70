import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { READY, startGateway, type TestGateway } from "../testing/a-gateway.ts";
import { TerminalLink, type TerminalLinkState } from "./link.ts";

let gateway: TestGateway;
let links: TerminalLink[];
beforeEach(async () => {
  gateway = await startGateway();
  links = [];
});
afterEach(async () => {
  for (const link of links) link.close();
  await gateway.close();
});

function connect(more: { isWatching?: boolean; resumeWithinMs?: number } = {}) {
  const shown: string[] = [];
  const notices: string[] = [];
  let state: TerminalLinkState | null = null;
  const link = new TerminalLink({
    url: gateway.url,
    ticket: "ticket-1",
    screen: {
      write: (data) => {
        shown.push(new TextDecoder().decode(data));
        return Promise.resolve();
      },
      resize: ({ cols, rows }) => void shown.push(`${cols}x${rows}`),
      clear: () => void shown.push("clear"),
    },
    ...(more.isWatching === true ? {} : { size: () => ({ cols: 80, rows: 24 }) }),
    ...(more.resumeWithinMs === undefined ? {} : { resumeWithinMs: more.resumeWithinMs }),
    onState: (next) => (state = next),
    onNotice: (text) => void notices.push(text),
  });
  links.push(link);
  return { link, shown, notices, state: () => state };
}

const guest = async (number = 0) => {
  await waitFor(() => expect(gateway.guests[number]?.received.length).toBeGreaterThan(0));
  return gateway.guests[number]!;
};

test("the ticket is the first message, and neither it nor the secret is in the address", async () => {
  connect();
  expect((await guest()).received).toEqual([{ t: "ticket", ticket: "ticket-1", cols: 80, rows: 24 }]);
});

test("output, input, sizes, watchers, pauses and notices are passed on", async () => {
  const { link, shown, notices, state } = connect();
  const user = await guest();
  user.send(READY);
  await waitFor(() => expect(state()?.phase).toBe("live"));
  link.input("ls\r");
  link.resize({ cols: 100, rows: 30 });
  await waitFor(() => expect(user.received.slice(1)).toEqual(["ls\r", { t: "resize", cols: 100, rows: 30 }]));
  user.send(Buffer.from("file"));
  user.send({ t: "watchers", n: 2 });
  user.send({ t: "paused", reason: "The recorder is behind." });
  user.send({ t: "something new" });
  user.send({ t: "notice", text: "Please log out" });
  await waitFor(() => expect(notices).toEqual(["Please log out"]));
  expect(shown).toEqual(["file"]);
  expect(state()).toMatchObject({ watchers: 2, paused: "The recorder is behind.", isRecorded: true });
  user.send({ t: "resumed" });
  await waitFor(() => expect(state()?.paused).toBeNull());
});

test("a lost connection is resumed with the newest secret, on an empty screen", async () => {
  const { shown, state } = connect();
  (await guest(0)).send(READY);
  await waitFor(() => expect(state()?.phase).toBe("live"));
  gateway.guests[0]!.cut();
  await waitFor(() => expect(state()?.phase).toBe("reconnecting"));
  const again = await guest(1);
  expect(again.received[0]).toEqual({ t: "resume", secret: "secret-1", cols: 80, rows: 24 });
  again.send({ ...READY, secret: "secret-2" });
  await waitFor(() => expect(state()?.phase).toBe("live"));
  expect(shown).toEqual(["clear"]);
  again.cut();
  expect((await guest(2)).received[0]).toMatchObject({ secret: "secret-2" });
});

test("a connection that cannot be resumed in time ends", async () => {
  const { state } = connect({ resumeWithinMs: 20 });
  (await guest()).send(READY);
  await waitFor(() => expect(state()?.phase).toBe("live"));
  gateway.guests[0]!.cut();
  (await guest(1)).cut();
  await waitFor(() => expect(state()?.end?.detail).toBe("The connection was lost and could not be resumed in time."));
});

test("the end is shown with its reason and is not resumed", async () => {
  const { state } = connect();
  const user = await guest();
  user.send(READY);
  user.send({ t: "end", reason: "terminated", detail: "By Ben: wrong host", exit: null });
  user.cut();
  await waitFor(() => expect(state()?.end).toEqual({ reason: "terminated", detail: "By Ben: wrong host" }));
  expect(state()?.phase).toBe("ended");
});

test("a connection that is lost before the session begins ends, because the ticket is used", async () => {
  const { state } = connect();
  (await guest()).cut();
  await waitFor(() => expect(state()?.end?.detail).toMatch(/gateway could not be reached/));
});

test("a watcher takes the user's size and sends nothing but the ticket", async () => {
  const { link, shown, state } = connect({ isWatching: true });
  const watcher = await guest();
  watcher.send({ t: "watching", session: "x", user: "Ada" });
  watcher.send({ t: "size", cols: 120, rows: 40 });
  watcher.send(Buffer.from("output"));
  await waitFor(() => expect(shown).toEqual(["120x40", "output"]));
  expect(watcher.received).toEqual([{ t: "ticket", ticket: "ticket-1" }]);
  expect(state()?.phase).toBe("live");
  link.close();
});
