// Tests of the SSH keys view, the paths of a key, and the privileges in an account's details.
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { KeyList } from "./key-list.tsx";

const KEYS = "GET /api/v1/discovery/keys";
const REACH = "GET /api/v1/discovery/blast-radius";
const FINGERPRINT = `SHA256:${"A".repeat(43)}`;
const aKey = {
  fingerprint: FINGERPRINT,
  type: "ssh-ed25519",
  comment: "deploy@ci",
  opens: 3,
  systems: 3,
  opens_full: 1,
  found_private: 1,
  is_unprotected: true,
};
const aNode = (id: string, from: string | null, distance: number, more: object) => ({
  id,
  from,
  distance,
  hostname: "web-01",
  target_id: null,
  account_id: null,
  accounts: null,
  reason: from === null ? null : "the key is in /home/deploy/.ssh/authorized_keys:1",
  needs_password: false,
  ...more,
});
const REACHED = {
  nodes: [
    aNode("key", null, 0, { kind: "key", label: "deploy@ci", hostname: null }),
    aNode("account", "key", 1, { kind: "account", label: "deploy" }),
    aNode("control", "account", 2, { kind: "control", label: "full control", accounts: 12 }),
  ],
  systems: 1,
  accounts: 12,
  is_complete: true,
};

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({});
});
afterEach(() => api.close());

test("a shared key shows its reach as a sentence, a diagram and a table", async () => {
  api.on(KEYS, { json: { data: [aKey] } });
  api.on(REACH, { json: REACHED });
  renderScreen(<KeyList />);
  expect(await screen.findByText(/Opens 3 accounts on 3 systems, 1 with full control/)).not.toBeNull();
  expect(screen.getByText("Private key without passphrase")).not.toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Show paths of deploy@ci" }));
  const dialog = await screen.findByRole("dialog");
  const sentence = "deploy@ci reaches 12 accounts and full control of 1 system.";
  expect(await within(dialog).findByText(sentence)).not.toBeNull();
  expect(within(dialog).getByRole("img", { name: sentence })).not.toBeNull();
  const rows = within(within(dialog).getByRole("table", { name: "Steps" })).getAllByRole("row");
  expect(rows).toHaveLength(3);
  expect(rows[2]?.textContent).toContain("full control Full controlweb-01deploy: ");
});

test("no keys is an empty state", async () => {
  api.on(KEYS, { json: { data: [] } });
  renderScreen(<KeyList />);
  expect(await screen.findByText("No SSH keys")).not.toBeNull();
});
