import type { Account } from "@strongroom/contract";
import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { paths } from "#shared/paths.ts";
import { SESSION_ID, anSshAccount } from "../testing/a-session.ts";
import { READY, startGateway, type TestGateway } from "../testing/a-gateway.ts";
import ConnectPage from "./connect-page.tsx";

const account: Account = anSshAccount();
const START = `POST /api/v1/accounts/${account.id}/sessions`;
const TERMINATE = `POST /api/v1/sessions/${SESSION_ID}/terminate`;

let api: TestApi;
let gateway: TestGateway;
beforeEach(async () => {
  signInForTest();
  gateway = await startGateway();
  api = await startApi({
    [`GET /api/v1/accounts/${account.id}/details`]: { json: account },
    "GET /api/v1/sessions/ssh-access": {
      json: {
        gateways: [{ name: "gw", host: "gateway.example.com", port: 2022, zone: null }],
        host_key: "ssh-ed25519 AAAAhost",
        fingerprint: "SHA256:hostkey",
      },
    },
    [START]: {
      status: 201,
      json: {
        session_id: SESSION_ID,
        ticket: "ticket-1",
        expires_at: new Date(Date.now() + 60_000).toISOString(),
        connect_path: gateway.url,
        ssh: null,
      },
    },
  });
});
afterEach(async () => {
  await gateway.close();
  await api.close();
});

const show = (state?: object) =>
  renderScreen(<ConnectPage />, { at: paths.connect(account.id), path: paths.connect(":id"), state });

async function connected() {
  const view = show({ starts: true });
  await waitFor(() => expect(gateway.guests[0]?.received.length).toBeGreaterThan(0));
  act(() => gateway.guests[0]!.send(READY));
  expect(await screen.findByText("Connected")).toBeTruthy();
  return { ...view, guest: gateway.guests[0]! };
}

test("Connect starts a session immediately, and a reload does not", async () => {
  const { router } = await connected();
  expect(api.requestsTo(START)).toHaveLength(1);
  expect(router.state.location.state).toBeNull();
});

test("a link shows the form and starts no session automatically", async () => {
  const { user } = show();
  await user.type(await screen.findByRole("textbox", { name: "Reason" }), "Deploy");
  expect(api.requestsTo(START)).toHaveLength(0);
  await user.click(screen.getByRole("button", { name: "Connect" }));
  await waitFor(() => expect(api.requestsTo(START)[0]?.body).toEqual({ reason: "Deploy" }));
});

test("the form shows the command for a native SSH client and the fingerprint that the client asks to confirm", async () => {
  show();
  const hint = await screen.findByRole("region", { name: "With your own SSH client" });
  expect(hint.textContent).toContain("@gateway.example.com");
  expect(hint.textContent).toContain("ssh -p 2022 ");
  expect(hint.textContent).toContain("SHA256:hostkey");
});

test("a refusal shows what is missing, and the form sends it", async () => {
  const granted = {
    status: 201,
    json: { session_id: SESSION_ID, ticket: "t", expires_at: new Date().toISOString(), ssh: null },
  };
  api.on(START, problem(422, "account.reason-required", "Give a reason for the access."));
  const { user } = show({ starts: true });
  expect(await screen.findByText("Give a reason for the access.")).toBeTruthy();
  api.on(START, { ...granted, json: { ...granted.json, connect_path: gateway.url } });
  await user.type(screen.getByRole("textbox", { name: "Reason" }), "Deploy");
  await user.click(screen.getByRole("button", { name: "Connect" }));
  expect(await screen.findByRole("group", { name: `Terminal of ${account.name}` })).toBeTruthy();
  expect(api.requestsTo(START).at(-1)?.body).toEqual({ reason: "Deploy" });
});

test("the terminal says that it is recorded, who watches, and shows notices", async () => {
  const { user, guest } = await connected();
  expect(screen.getByText("Recorded")).toBeTruthy();
  expect(screen.queryByText(/^Watched by/)).toBeNull();
  guest.send({ t: "watchers", n: 2 });
  guest.send({ t: "notice", text: "Please log out" });
  expect(await screen.findByText("Watched by 2")).toBeTruthy();
  expect((await screen.findByRole("alert")).textContent).toBe("Please log out");
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByText("Please log out")).toBeNull();
});

test("the terminal sends typed text, and Ctrl+Shift+Home moves the focus out of it", async () => {
  const { user, guest } = await connected();
  const input = screen.getByRole("textbox", { name: "Terminal input" });
  await waitFor(() => expect(document.activeElement).toBe(input));
  await user.keyboard("{Enter}");
  await waitFor(() => expect(guest.received.at(-1)).toBe("\r"));
  await user.keyboard("{Control>}{Shift>}{Home}{/Shift}{/Control}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Copy Selection" }));
});

test("a terminal whose input is recorded says so", async () => {
  const { guest } = await connected();
  guest.send({ ...READY, input: true });
  expect(await screen.findByText("Recorded with input")).toBeTruthy();
});

test("the accessible mode lets screen readers read the output", async () => {
  const { user, container } = await connected();
  const control = screen.getByRole("button", { name: "Accessible Mode" });
  expect(control.getAttribute("aria-pressed")).toBe("false");
  expect(container.querySelector(".xterm-accessibility")).toBeNull();
  await user.click(control);
  expect(control.getAttribute("aria-pressed")).toBe("true");
  expect(container.querySelector(".xterm-accessibility")).not.toBeNull();
});

test("a lost connection is shown and resumed", async () => {
  const { guest } = await connected();
  guest.cut();
  expect(await screen.findByText("The connection was lost. Reconnecting...")).toBeTruthy();
  await waitFor(() => expect(gateway.guests[1]?.received[0]).toMatchObject({ t: "resume", secret: "secret-1" }));
  gateway.guests[1]!.send({ ...READY, secret: "secret-2" });
  expect(await screen.findByText("Connected")).toBeTruthy();
});

test("the end screen shows the reason and can connect again", async () => {
  const { user, guest } = await connected();
  guest.send({ t: "end", reason: "terminated", detail: "Terminated by Ben: wrong host", exit: null });
  expect(await screen.findByText("Terminated by Ben: wrong host")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Connect Again" }));
  expect(await screen.findByRole("form", { name: "Connect" })).toBeTruthy();
});

test("Disconnect ends the user's own session", async () => {
  api.on(TERMINATE, { json: { message: "The session is ending." } });
  const { user } = await connected();
  await user.click(screen.getByRole("button", { name: "Disconnect" }));
  await waitFor(() => expect(api.requestsTo(TERMINATE)[0]?.body).toEqual({ reason: "disconnected" }));
});
