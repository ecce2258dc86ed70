import { act, screen, waitFor, within } from "@testing-library/react";
import type { Credential } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problem, startApi, type ApiAnswer, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { aRotation } from "#shared/rotation/testing/a-rotation.ts";
import { SAMPLE_DATA } from "#shared/ui/states.tsx";
import CredentialDetailPage from "./credential-detail-page.tsx";
import { aCredential, aHistoryEntry, aVerifyReply } from "../testing/a-credential.ts";

const ONE = "GET /api/v1/credentials/:id";
const ROTATE = "POST /api/v1/credentials/:id/rotate";
const ROTATIONS = "GET /api/v1/credentials/:id/rotations";
const VERSIONS = "GET /api/v1/credentials/:id/versions";
const HISTORY = "GET /api/v1/credentials/:id/history";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [HISTORY]: { json: { history: [aHistoryEntry()], next_cursor: null } },
    [ROTATIONS]: { json: { rotations: [], next_cursor: null } },
  });
});
afterEach(() => api.close());

function render(id: string) {
  return renderScreen(<CredentialDetailPage />, { at: `/vault/${id}`, path: "/vault/:id" });
}

async function openDetail(given: Partial<Credential> = {}) {
  const credential = aCredential(given);
  api.on(ONE, { json: credential });
  const view = render(credential.id);
  await screen.findByRole("heading", { level: 1, name: credential.name });
  return { ...view, credential };
}

const section = (name: string) => within(screen.getByRole("region", { name }));
/** The value next to a name in a section. */
const fact = (sectionName: string, name: string): string =>
  section(sectionName).getByText(name, { selector: "dt" }).nextElementSibling?.textContent ?? "";

describe("the credential page", () => {
  test("VAULT-37, VAULT-42: shows the details of the credential", async () => {
    await openDetail({ status: "active", environment: "staging" });
    const of = (name: string) => fact("Credential Information", name);
    expect(of("Username")).toBe("app_owner");
    expect(of("Environment")).toBe("Staging");
    expect(of("Status")).toBe("Active");
    expect(of("Last accessed")).toBe("Never");
    expect(of("Created")).toContain("2026");
    expect(of("Last updated")).toContain("2026");
  });

  test("VAULT-38: shows a loading state", async () => {
    let release = () => {};
    api.on(ONE, () => new Promise((resolve) => (release = () => resolve({ json: aCredential() }))));
    render(aCredential().id);
    expect(await screen.findByText("Loading credential details...")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(ONE)).toHaveLength(1));
    release();
    expect(await screen.findByRole("heading", { name: "Orders database" })).toBeTruthy();
  });

  test('VAULT-39, VAULT-40: shows "not found" for a missing credential, with a link back to the vault', async () => {
    api.on(ONE, problem(404, "credential.not-found", "Credential not found"));
    const { user } = render(aCredential().id);
    expect(await screen.findByRole("heading", { name: "Credential Not Found" })).toBeTruthy();
    expect(screen.getByText("Credential not found")).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "Back to Vault" }));
    expect((await screen.findByTestId("address")).textContent).toBe("/vault");
  });

  test("VAULT-41: shows any other failure with Retry", async () => {
    const credential = aCredential();
    api.on(ONE, problem(500, "internal", "Oops"));
    const { user } = render(credential.id);
    expect(await screen.findByText("Failed to load credential")).toBeTruthy();
    api.on(ONE, { json: credential });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("heading", { name: "Orders database" })).toBeTruthy();
  });

  test("VAULT-43, VAULT-44: shows the connection details of a database", async () => {
    await openDetail({
      ssl_enabled: true,
      connection_string: "postgresql://db01.internal:5432/orders",
      additional_params: { sslmode: "verify-full" },
    });
    const of = (name: string) => fact("Connection Information", name);
    expect(of("Host")).toBe("db01.internal");
    expect(of("Port")).toBe("5432");
    expect(of("Database name")).toBe("orders");
    expect(of("Schema")).toBe("public");
    expect(of("SSL enabled")).toBe("Yes");
    expect(section("Connection Information").getByText("postgresql://db01.internal:5432/orders")).toBeTruthy();
    expect(section("Connection Information").getByText(/"sslmode": "verify-full"/)).toBeTruthy();
  });

  test("VAULT-43: shows the host but no connection section for other types", async () => {
    await openDetail({ type: "password", port: 22 });
    expect(screen.queryByRole("region", { name: "Connection Information" })).toBeNull();
    expect(fact("Credential Information", "Host")).toBe("db01.internal:22");
  });

  test("VAULT-45: pages through the history", async () => {
    api.on(HISTORY, ({ query }) =>
      query.get("cursor") === null
        ? { json: { history: [aHistoryEntry()], next_cursor: "older" } }
        : { json: { history: [aHistoryEntry({ action: "Credential created" })], next_cursor: null } },
    );
    const { user } = await openDetail();
    expect(await screen.findByText("Credential Verification")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Load More" }));
    expect(await screen.findByText("Credential created")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Load More" })).toBeNull();
  });

  test("VAULT-36: shows samples, labelled as samples, when the history cannot be loaded", async () => {
    api.on(HISTORY, problem(500, "internal", "Oops"));
    const { user } = await openDetail();
    expect(await screen.findByText(SAMPLE_DATA)).toBeTruthy();
    expect(screen.getByText("Sample entry: a verification that succeeded")).toBeTruthy();
    expect(screen.getAllByText("Sample user")).toHaveLength(2);
    api.on(HISTORY, { json: { history: [aHistoryEntry({ summary: "A real one" })], next_cursor: null } });
    await user.click(screen.getByRole("button", { name: "Refresh" }));
    expect(await screen.findByText("A real one")).toBeTruthy();
    expect(screen.queryByText(SAMPLE_DATA)).toBeNull();
  });

  test("shows no samples when the history is empty", async () => {
    api.on(HISTORY, { json: { history: [], next_cursor: null } });
    await openDetail();
    expect(await screen.findByText("No audit logs found")).toBeTruthy();
    expect(screen.queryByText(SAMPLE_DATA)).toBeNull();
  });

  test("VAULT-46, VAULT-29: Verify Now verifies the credential and shows the new status", async () => {
    const { user, credential } = await openDetail({
      verification_status: "rejected",
      verification_error: "Wrong password",
    });
    expect(section("Verification Status").getByText("Rejected")).toBeTruthy();
    expect(section("Verification Status").getByText("Wrong password")).toBeTruthy();
    api.on("POST /api/v1/credentials/:id/verify", () => {
      api.on(ONE, { json: { ...credential, verification_status: "verified", verification_error: null } });
      return { json: aVerifyReply({ outcome: "verified" }) };
    });
    await user.click(section("Verification Status").getByRole("button", { name: "Verify Now" }));
    expect(await screen.findByText("Verification completed successfully")).toBeTruthy();
    await waitFor(() => expect(section("Verification Status").getByText("Verified")).toBeTruthy());
    // The history reloads, because it now contains the attempt.
    await waitFor(() => expect(api.requestsTo(HISTORY)).toHaveLength(2));
  });

  test("VAULT-48, VAULT-34: Copy Password copies the secret", async () => {
    const { user } = await openDetail();
    api.on("POST /api/v1/credentials/:id/reveal", { json: { value: "tr0ub4dor&3" } });
    await user.click(screen.getByRole("button", { name: "Copy Password" }));
    expect(await screen.findByText("Password copied to clipboard!")).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe("tr0ub4dor&3");
  });

  test("the owner can copy a candidate secret that a rotation could not verify", async () => {
    const version = { version: 1, reason: "created", is_candidate: false, created_by: "Ada", retired_at: null };
    const created_at = "2026-11-01T10:00:00.000Z";
    const candidate = { ...version, version: 2, reason: "rotated", is_candidate: true };
    const versions = [candidate, version].map((each) => ({ ...each, created_at }));
    api.on(VERSIONS, { json: { versions } });
    api.on("POST /api/v1/credentials/:id/versions/:version/reveal", { json: { value: "maybe-in-force" } });
    const { user } = await openDetail();
    expect(await screen.findByText(/never verified/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Copy version 1" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Copy version 2" }));
    expect(await screen.findByText("Password copied to clipboard!")).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe("maybe-in-force");
  });

  test("CRED-19, VAULT-32, VAULT-47, VAULT-49: Rotate Password lists its steps and then starts the rotation", async () => {
    const { user } = await openDetail();
    await user.click(screen.getByRole("button", { name: "Rotate Password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    expect(dialog.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "A new password will be generated",
      "The target system will be updated",
      "The old password will be invalidated",
      "It cannot be undone",
      "It may take a few minutes",
    ]);
    expect(dialog.getByText("You will be notified when it is finished.")).toBeTruthy();
    const list = api.requestsTo(ROTATIONS).length;
    api.on(ROTATE, { status: 202, json: { success: true, rotation_id: aRotation().id, message: "Started" } });
    await user.click(dialog.getByRole("button", { name: "Rotate Password" }));
    expect(await screen.findByText('Rotation process initiated for "Orders database"')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(api.requestsTo(ROTATIONS).length).toBe(list + 1));
  });

  test("VAULT-33: shows why a rotation could not start", async () => {
    const { user } = await openDetail();
    api.on(ROTATE, problem(409, "rotation.cannot-change", "Nothing changes secrets of this kind."));
    await user.click(screen.getByRole("button", { name: "Rotate Password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    await user.click(dialog.getByRole("button", { name: "Rotate Password" }));
    expect(await screen.findByText("Failed to initiate rotation: Nothing changes secrets of this kind.")).toBeTruthy();
  });

  test("VAULT-47: Edit Credential saves changes and sends a new secret without caching it", async () => {
    const { user, credential, queryClient } = await openDetail();
    await user.click(screen.getByRole("button", { name: "Edit Credential" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit Credential" }));
    await user.type(await dialog.findByLabelText(/^Password\/Secret/), "n3w-s3cret-9");
    api.on("PUT /api/v1/credentials/:id", { json: { ...credential, updated_at: new Date().toISOString() } });
    await user.click(dialog.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByText('"Orders database" updated successfully')).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/credentials/:id")[0]?.body).toMatchObject({
      value: "n3w-s3cret-9",
      port: 5432,
    });
    const kept = [queryClient.getQueryCache().getAll(), queryClient.getMutationCache().getAll()].flat();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain("n3w-s3cret-9");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("saving a new secret refreshes the secret history", async () => {
    const created_at = "2026-03-01T10:00:00.000Z";
    const first = {
      version: 1,
      reason: "created",
      is_candidate: false,
      created_at,
      created_by: "Ada",
      retired_at: null,
    };
    const second = { ...first, version: 2, reason: "edited" };
    api.on(VERSIONS, { json: { versions: [first] } });
    const { user, credential } = await openDetail();
    await section("Secret History").findByText("Current version");
    api.on(VERSIONS, { json: { versions: [second, { ...first, retired_at: created_at }] } });
    api.on("PUT /api/v1/credentials/:id", { json: credential });
    await user.click(screen.getByRole("button", { name: "Edit Credential" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit Credential" }));
    await user.type(await dialog.findByLabelText(/^Password\/Secret/), "n3w-s3cret-9");
    await user.click(dialog.getByRole("button", { name: "Save Changes" }));
    expect(await section("Secret History").findByText("Version 1")).toBeTruthy();
    expect(section("Secret History").getByRole("button", { name: "Copy version 1" })).toBeTruthy();
  });

  test("VAULT-50, VAULT-51, OPEN-57: Delete Credential lists its effects and returns to the vault", async () => {
    const { user } = await openDetail();
    api.on("DELETE /api/v1/credentials/:id", { json: { message: "Deleted" } });
    await user.click(screen.getByRole("button", { name: "Delete Credential" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Delete Credential" }));
    expect(dialog.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "It permanently removes the credential.",
      "It deletes all associated audit logs. The tamper-evident audit trail keeps a record of the deletion.",
      "It cannot be undone.",
    ]);
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect((await screen.findByTestId("address")).textContent).toBe("/vault");
    expect(screen.getByText('"Orders database" deleted successfully')).toBeTruthy();
  });
});

describe("closing a dialog before its call is answered", () => {
  test("a started rotation does not close the next dialog", async () => {
    const { user } = await openDetail();
    const answer = Promise.withResolvers<ApiAnswer>();
    api.on(ROTATE, () => answer.promise);
    await user.click(screen.getAllByRole("button", { name: "Rotate Password" })[0]!);
    const rotate = within(await screen.findByRole("dialog", { name: "Rotate Password" }));
    await user.click(rotate.getByRole("button", { name: "Rotate Password" }));
    await waitFor(() => expect(api.requestsTo(ROTATE)).toHaveLength(1));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.click(screen.getByRole("button", { name: "Delete Credential" }));
    await screen.findByRole("dialog", { name: "Delete Credential" });
    answer.resolve({ status: 202, json: { success: true, rotation_id: aRotation().id, message: "Started" } });
    expect(await screen.findByText(/Rotation process initiated/)).toBeTruthy();
    expect(screen.getByRole("dialog", { name: "Delete Credential" })).toBeTruthy();
  });

  test("a deletion shows its toast without navigating when the user has left the page", async () => {
    const { user, router } = await openDetail();
    const answer = Promise.withResolvers<ApiAnswer>();
    api.on("DELETE /api/v1/credentials/:id", () => answer.promise);
    await user.click(screen.getByRole("button", { name: "Delete Credential" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(api.requestsTo("DELETE /api/v1/credentials/:id")).toHaveLength(1));
    await user.keyboard("{Escape}");
    await act(() => router.navigate("/safes"));
    answer.resolve({ json: { message: "Deleted" } });
    expect(await screen.findByText('"Orders database" deleted successfully')).toBeTruthy();
    expect(screen.getByTestId("address").textContent).toBe("/safes");
  });
});

describe("the host key alarm", () => {
  const alarm = {
    expected: `ssh-ed25519 SHA256:${"A".repeat(43)}`,
    presented: `ssh-ed25519 SHA256:${"B".repeat(43)}`,
  };

  test("shows the expected and the presented key", async () => {
    await openDetail({ type: "ssh", host_key_alarm: alarm, verification_status: "rejected" });
    const banner = within(screen.getByRole("alert", { name: "Host key alarm" }));
    expect(banner.getByText(alarm.expected)).toBeTruthy();
    expect(banner.getByText(alarm.presented)).toBeTruthy();
  });

  test("shows no banner without an alarm", async () => {
    await openDetail();
    expect(screen.queryByRole("alert", { name: "Host key alarm" })).toBeNull();
  });

  test("accepts exactly the key that is shown, after confirmation", async () => {
    const { user, credential } = await openDetail({ type: "ssh", host_key_alarm: alarm });
    api.on("POST /api/v1/credentials/:id/accept-host-key", () => {
      api.on(ONE, { json: { ...credential, host_key_alarm: null } });
      return { json: { message: "ok" } };
    });
    await user.click(screen.getByRole("button", { name: "Accept New Host Key" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Accept New Host Key" }));
    expect(api.requestsTo("POST /api/v1/credentials/:id/accept-host-key")).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Accept New Host Key" }));
    expect(await screen.findByText("New host key accepted. Verify again to use it.")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/credentials/:id/accept-host-key")[0]?.body).toEqual({
      fingerprint: alarm.presented,
    });
    await waitFor(() => expect(screen.queryByRole("alert", { name: "Host key alarm" })).toBeNull());
  });
});
