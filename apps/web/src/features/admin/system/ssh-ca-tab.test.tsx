import type { SshCaKey } from "@strongroom/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import SshCaTab from "./ssh-ca-tab.tsx";

const LIST = "GET /api/v1/ssh-ca/keys";
const CREATE = "POST /api/v1/ssh-ca/keys";
const ID = "99999999-9999-4999-8999-999999999999";
const ACTIVATE = `POST /api/v1/ssh-ca/keys/${ID}/activate`;

const aKey = (given: Partial<SshCaKey> = {}): SshCaKey => ({
  id: "88888888-8888-4888-8888-888888888888" as SshCaKey["id"],
  status: "active",
  public_key: "ssh-ed25519 AAAA",
  fingerprint: "SHA256:one",
  created_at: new Date().toISOString(),
  ...given,
});
const next = aKey({ id: ID as SshCaKey["id"], status: "next", fingerprint: "SHA256:two" });

let api: TestApi;
beforeEach(async () => {
  signInForTest({ role: "admin" });
  api = await startApi({ [LIST]: { json: { keys: [], trusted_keys_file: "" } } });
});
afterEach(() => api.close());

const show = (keys: SshCaKey[]) => {
  api.on(LIST, { json: { keys, trusted_keys_file: "ssh-ed25519 AAAA strongroom-ssh-ca-active\n" } });
  return renderScreen(<SshCaTab />);
};

test("without a key the tab offers to create one", async () => {
  api.on(CREATE, { status: 201, json: aKey() });
  const { user } = show([]);
  await user.click(await screen.findByRole("button", { name: "Create CA Key" }));
  await user.click(await screen.findByRole("button", { name: "Create" }));
  await waitFor(() => expect(api.requestsTo(CREATE)).toHaveLength(1));
  expect(await screen.findByText("CA key created")).toBeTruthy();
});

test("the tab shows the line for sshd_config, and no actions on the key that signs", async () => {
  show([aKey()]);
  expect(await screen.findByText("TrustedUserCAKeys /etc/ssh/strongroom-ssh-ca.pub")).toBeTruthy();
  const list = await screen.findByRole("list", { name: "CA keys" });
  expect(within(list).getByText("Signs")).toBeTruthy();
  expect(within(list).queryByRole("button")).toBeNull();
  expect(screen.getByRole("button", { name: "Create Next Key" })).toBeTruthy();
});

test("the next key can be activated after a confirmation", async () => {
  api.on(ACTIVATE, { json: { message: "New certificates are signed with this key." } });
  const { user } = show([aKey(), next]);
  await user.click(await screen.findByRole("button", { name: "Activate: SHA256:two" }));
  expect(api.requestsTo(ACTIVATE)).toHaveLength(0);
  await user.click(await screen.findByRole("button", { name: "Activate" }));
  await waitFor(() => expect(api.requestsTo(ACTIVATE)).toHaveLength(1));
  expect(screen.queryByRole("button", { name: "Create Next Key" })).toBeNull();
});

test("a refused change shows the reason", async () => {
  api.on(CREATE, problem(409, "ssh-ca.next-exists", "The CA already has a next key."));
  const { user } = show([aKey()]);
  await user.click(await screen.findByRole("button", { name: "Create Next Key" }));
  await user.click(await screen.findByRole("button", { name: "Create" }));
  expect(await screen.findByText("The CA already has a next key.")).toBeTruthy();
});
