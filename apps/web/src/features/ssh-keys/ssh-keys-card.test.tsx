// Tests of the card of SSH keys: its list, its form and the instructions to connect.
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { SshKeysCard } from "./ssh-keys-card.tsx";

const LIST = "GET /api/v1/auth/ssh-keys";
const ADD = "POST /api/v1/auth/ssh-keys";
const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ann@laptop";
const KEY = {
  id: "44444444-4444-4444-8444-444444444444",
  name: "ann@laptop",
  type: "ssh-ed25519",
  bits: 256,
  fingerprint: "SHA256:abc",
  state: "active",
  created_at: "2026-11-01T12:00:00.000Z",
  expires_at: "2027-11-01T12:00:00.000Z",
  last_used_at: null,
  last_used_from: null,
};

let api: TestApi;
beforeEach(async () => {
  signOutForTest();
  signInForTest();
  api = await startApi({
    [LIST]: { json: { data: [KEY], most_days: 90 } },
    [ADD]: { status: 201, json: KEY },
    "DELETE /api/v1/auth/ssh-keys/:id": { json: { message: "ann@laptop removed" } },
    "GET /api/v1/sessions/ssh-access": {
      json: {
        gateways: [{ name: "gw", host: "gateway.example.com", port: 2022, zone: null }],
        host_key: "ssh-ed25519 AAAAhost",
        fingerprint: "SHA256:hostkey",
      },
    },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

async function openForm() {
  const { user } = renderScreen(<SshKeysCard />);
  await user.click(await screen.findByRole("button", { name: "Add SSH Key" }));
  return { user, dialog: within(await screen.findByRole("dialog")) };
}

test("each key shows its type, fingerprint and last use", async () => {
  renderScreen(<SshKeysCard />);
  const row = (await screen.findByText("ann@laptop")).closest("li")!;
  expect(row.textContent).toContain("Ed25519 · SHA256:abc");
  expect(row.textContent).toContain("Last used: never");
});

test("an empty card says how to add a key, and a failed load can be retried", async () => {
  api.on(LIST, problem(500, "internal", "Something went wrong"));
  const { user } = renderScreen(<SshKeysCard />);
  expect(await screen.findByText("Something went wrong")).toBeTruthy();
  api.on(LIST, { json: { data: [], most_days: 90 } });
  await user.click(await screen.findByRole("button", { name: /try again|retry/i }));
  expect(await screen.findByText("No SSH keys")).toBeTruthy();
});

test("a pasted key shows its type, comment and fingerprint, names itself, and is sent", async () => {
  const { user, dialog } = await openForm();
  await user.click(dialog.getByLabelText(/Public key/));
  await user.paste(PUBLIC_KEY);
  expect(await dialog.findByText("Ed25519")).toBeTruthy();
  expect(await dialog.findByText(/^SHA256:[A-Za-z0-9+/]{43}$/)).toBeTruthy();
  expect(dialog.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("ann@laptop");
  await user.click(dialog.getByRole("button", { name: "Add SSH Key" }));
  expect(await screen.findByText("SSH key added")).toBeTruthy();
  expect(api.requestsTo(ADD).map(({ body }) => body)).toEqual([
    { name: "ann@laptop", public_key: PUBLIC_KEY, expires_in_days: 90 },
  ]);
});

test("a private key that is pasted by mistake is never sent", async () => {
  const { user, dialog } = await openForm();
  await user.click(dialog.getByLabelText(/Public key/));
  await user.paste("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----");
  await user.type(dialog.getByLabelText(/^Name/), "laptop");
  await user.click(dialog.getByRole("button", { name: "Add SSH Key" }));
  expect(await dialog.findByText(/This is a private key/)).toBeTruthy();
  expect(api.requestsTo(ADD)).toEqual([]);
});

test("removing a key asks for confirmation", async () => {
  const { user } = renderScreen(<SshKeysCard />);
  await user.click(await screen.findByRole("button", { name: "Remove ann@laptop" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
  expect(await screen.findByText("ann@laptop removed")).toBeTruthy();
});

test("shows the gateway's fingerprint and the lines for OpenSSH's files", async () => {
  const { user } = renderScreen(<SshKeysCard />);
  await user.click(await screen.findByRole("button", { name: "How to connect" }));
  expect(await screen.findByText("SHA256:hostkey")).toBeTruthy();
  expect(screen.getByText("strongroom-gateway ssh-ed25519 AAAAhost")).toBeTruthy();
  expect(screen.getByText(/HostName gateway.example.com/)).toBeTruthy();
});
