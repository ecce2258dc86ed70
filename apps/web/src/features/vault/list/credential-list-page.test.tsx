import { screen, waitFor, within } from "@testing-library/react";
import type { Credential } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { CONNECTORS } from "#shared/connectors/testing/descriptions.ts";
import CredentialListPage from "./credential-list-page.tsx";
import { aCredential, aHistoryEntry, aVerifyReply } from "../testing/a-credential.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ "GET /api/v1/connectors": { json: { connectors: CONNECTORS } } });
});
afterEach(() => api.close());

const LIST = "GET /api/v1/credentials";
const page = (data: Credential[], next_cursor: string | null = null) => ({ json: { data, next_cursor } });

/** Opens the vault with these credentials on one page. */
async function openVault(...credentials: Credential[]) {
  api.on(LIST, page(credentials));
  for (const credential of credentials) api.on(`GET /api/v1/credentials/${credential.id}`, { json: credential });
  const view = renderScreen(<CredentialListPage />, { at: "/vault" });
  await screen.findAllByRole("article");
  return view;
}

const valueOf = (field: HTMLElement): string => (field as HTMLInputElement).value;
const card = (name: string) => screen.getByRole("article", { name });
const act = (name: string, action: string) => within(card(name)).getByRole("button", { name: action });
async function chooseDelete(user: ReturnType<typeof renderScreen>["user"]) {
  await user.click(act("Orders database", "Actions for Orders database"));
  await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
}

describe("the vault's list", () => {
  test("VAULT-01 to VAULT-03: shows heading, subtitle, search and the Add button", async () => {
    await openVault(aCredential());
    expect(screen.getByRole("heading", { level: 1, name: "Credential Vault" })).toBeTruthy();
    expect(screen.getByText("Securely manage and access your privileged credentials")).toBeTruthy();
    expect(screen.getByRole("searchbox", { name: "Search credentials" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Add Credential" })).toBeTruthy();
    expect(screen.getByText("1 credential")).toBeTruthy();
  });

  test("VAULT-19: shows a loading state", async () => {
    let release = () => {};
    api.on(LIST, () => new Promise((resolve) => (release = () => resolve(page([])))));
    renderScreen(<CredentialListPage />, { at: "/vault" });
    expect(await screen.findByText("Unlocking your credentials...")).toBeTruthy();
    await waitFor(() => expect(api.requestsTo(LIST)).toHaveLength(1));
    release();
    expect(await screen.findByText("No credentials found")).toBeTruthy();
  });

  test("VAULT-21, VAULT-23: an empty vault explains how to add the first credential", async () => {
    api.on(LIST, page([]));
    renderScreen(<CredentialListPage />, { at: "/vault" });
    expect(await screen.findByText("No credentials found")).toBeTruthy();
    expect(screen.getByText("Get started by adding your first credential")).toBeTruthy();
  });

  test("VAULT-22: a search without results gives advice and can be cleared", async () => {
    api.on(LIST, ({ query }) => page(query.get("search") === null ? [aCredential()] : []));
    const { user } = renderScreen(<CredentialListPage />, { at: "/vault?search=nothing" });
    expect(await screen.findByText("Try adjusting your search terms")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Clear Search and Filter" }));
    expect(await screen.findByRole("article", { name: "Orders database" })).toBeTruthy();
    expect(valueOf(screen.getByRole("searchbox"))).toBe("");
  });

  test("VAULT-20, VAULT-25, OPEN-44: shows a failed load as an error with Retry, not as an empty vault", async () => {
    api.on(LIST, problem(500, "internal", "Something went wrong on our side."));
    const { user } = renderScreen(<CredentialListPage />, { at: "/vault" });
    expect(await screen.findByText("Something went wrong on our side.")).toBeTruthy();
    expect(screen.queryByText("No credentials found")).toBeNull();
    api.on(LIST, page([aCredential()]));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("article")).toBeTruthy();
  });

  test("VAULT-24: an expired session shows an error", async () => {
    api.on(LIST, problem(401, "session.missing", "No session"));
    renderScreen(<CredentialListPage />, { at: "/vault" });
    expect(await screen.findByText("Authentication expired. Please log in again.")).toBeTruthy();
  });

  test("VAULT-05: searches on the server after a pause in typing and updates the address", async () => {
    const { user, router } = await openVault(aCredential());
    await user.type(screen.getByRole("searchbox"), "Orders");
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("search")).toBe("Orders"));
    expect(router.state.location.search).toBe("?search=Orders");
    expect(api.requestsTo(LIST)).toHaveLength(2);
  });

  test("VAULT-04, VAULT-06, OPEN-45: choosing Database searches all database types on the server", async () => {
    const { user, router } = await openVault(aCredential());
    await user.selectOptions(screen.getByRole("combobox", { name: "Type" }), "Database");
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("type")).toBe("database"));
    expect(router.state.location.search).toBe("?type=database");
  });

  test("searches for the text in the address, even when the address changes elsewhere", async () => {
    api.on(LIST, page([aCredential()]));
    const { router } = renderScreen(<CredentialListPage />, { at: "/vault?search=first" });
    await screen.findByRole("article");
    expect(valueOf(screen.getByRole("searchbox"))).toBe("first");
    await router.navigate("/vault?search=second");
    await waitFor(() => expect(valueOf(screen.getByRole("searchbox"))).toBe("second"));
    await waitFor(() => expect(api.requestsTo(LIST).at(-1)?.query.get("search")).toBe("second"));
  });

  test("loads more pages while scrolling, each once", async () => {
    const first = Array.from({ length: 4 }, (_, n) => aCredential({ name: `First ${n}` }));
    api.on(LIST, ({ query }) =>
      query.get("cursor") === null ? page(first, "two") : page([aCredential({ name: "Last one" })]),
    );
    renderScreen(<CredentialListPage />, { at: "/vault" });
    expect(await screen.findByRole("article", { name: "Last one" })).toBeTruthy();
    expect(screen.getByText("5 credentials")).toBeTruthy();
    expect(api.requestsTo(LIST).map(({ query }) => query.get("cursor"))).toEqual([null, "two"]);
  });

  test("a page that failed to load waits for Retry instead of reloading in a loop", async () => {
    api.on(LIST, ({ query }) =>
      query.get("cursor") === null ? page([aCredential()], "two") : problem(500, "internal", "Broken page"),
    );
    const { user } = renderScreen(<CredentialListPage />, { at: "/vault" });
    expect(await screen.findByText("Broken page")).toBeTruthy();
    const asked = api.requestsTo(LIST).length;
    api.on(LIST, page([aCredential({ name: "Last one" })]));
    expect(api.requestsTo(LIST)).toHaveLength(asked);
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("article", { name: "Last one" })).toBeTruthy();
  });
});

describe("a vault card", () => {
  test("VAULT-07 to VAULT-09: shows the status of its credential", async () => {
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    await openVault(
      aCredential({
        status: "expired",
        verification_status: "rejected",
        verified_at: anHourAgo,
        verification_error: "The server rejected the password.",
        environment: "staging",
      }),
    );
    const shown = within(card("Orders database"));
    expect(shown.getByText("PostgreSQL · app_owner")).toBeTruthy();
    expect(shown.getByText("db01.internal:5432")).toBeTruthy();
    expect(shown.getByText("Rejected")).toBeTruthy();
    expect(shown.getByText("Expired")).toBeTruthy();
    expect(shown.getByText("1h ago")).toBeTruthy();
    expect(shown.getByText("Never")).toBeTruthy();
    expect(shown.getByText("The server rejected the password.")).toBeTruthy();
    expect(shown.getByText("Staging").getAttribute("data-tone")).toBe("warning");
  });

  test("VAULT-10, VAULT-11, VAULT-28: Verify Now shows its progress, the result and the new status", async () => {
    const credential = aCredential({ verification_status: "pending" });
    const { user } = await openVault(credential);
    let release = () => {};
    api.on("POST /api/v1/credentials/:id/verify", () => {
      api.on(`GET /api/v1/credentials/${credential.id}`, {
        json: { ...credential, verification_status: "verified", status: "verified" },
      });
      return new Promise((resolve) => (release = () => resolve({ json: aVerifyReply({ outcome: "verified" }) })));
    });
    await user.click(act("Orders database", "Verify Now"));
    expect(await screen.findByText("Verifying...")).toBeTruthy();
    expect(act("Orders database", "Verify Now").hasAttribute("disabled")).toBe(true);
    release();
    expect(await screen.findByText('Verification successful for "Orders database"')).toBeTruthy();
    await waitFor(() => expect(within(card("Orders database")).getAllByText("Verified")).toHaveLength(2));
    // Only this credential was refetched, not the whole list.
    expect(api.requestsTo(LIST)).toHaveLength(1);
  });

  test("VAULT-30: a failed verification shows its reason", async () => {
    const { user } = await openVault(aCredential());
    api.on("POST /api/v1/credentials/:id/verify", {
      json: aVerifyReply({ message: "The server rejected the password." }),
    });
    await user.click(act("Orders database", "Verify Now"));
    expect(
      await screen.findByText('Verification failed for "Orders database": The server rejected the password.'),
    ).toBeTruthy();
  });

  test("VAULT-15, VAULT-34: Copy puts the secret on the clipboard and caches it nowhere", async () => {
    const credential = aCredential();
    const { user, queryClient } = await openVault(credential);
    api.on("POST /api/v1/credentials/:id/reveal", { json: { value: "tr0ub4dor&3" } });
    await user.click(act("Orders database", "Copy"));
    expect(await screen.findByText("Password copied to clipboard!")).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe("tr0ub4dor&3");
    const kept = [queryClient.getQueryCache().getAll(), queryClient.getMutationCache().getAll()].flat();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain("tr0ub4dor");
    expect(document.body.innerHTML).not.toContain("tr0ub4dor");
  });

  test("VAULT-35: shows an error when the clipboard refuses the copy", async () => {
    const { user } = await openVault(aCredential());
    api.on("POST /api/v1/credentials/:id/reveal", { json: { value: "tr0ub4dor&3" } });
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("no", "NotAllowedError"));
    vi.spyOn(navigator.clipboard, "write").mockRejectedValue(new DOMException("no", "NotAllowedError"));
    await user.click(act("Orders database", "Copy"));
    expect(await screen.findByText("Failed to copy credential to clipboard")).toBeTruthy();
  });

  test("VAULT-14: Details opens the credential's page", async () => {
    const credential = aCredential();
    const { user } = await openVault(credential);
    await user.click(within(card("Orders database")).getByRole("link", { name: "Details" }));
    expect((await screen.findByTestId("address")).textContent).toContain(`/vault/${credential.id}`);
  });

  test("VAULT-16, OPEN-56: Edit opens the form with the stored values, without the secret", async () => {
    const credential = aCredential();
    const { user } = await openVault(credential);
    await user.click(act("Orders database", "Edit"));
    const dialog = within(await screen.findByRole("dialog", { name: "Edit Credential" }));
    expect(valueOf(await dialog.findByLabelText(/^Name/))).toBe("Orders database");
    expect(valueOf(dialog.getByLabelText(/^Password\/Secret/))).toBe("");
    expect(dialog.getByText("Leave empty to keep the stored secret")).toBeTruthy();
    await user.clear(dialog.getByLabelText(/^Name/));
    await user.type(dialog.getByLabelText(/^Name/), "Renamed");
    const renamed = { ...credential, name: "Renamed" };
    api.on("PUT /api/v1/credentials/:id", { json: renamed });
    await user.click(dialog.getByRole("button", { name: "Save Changes" }));
    expect(await screen.findByRole("article", { name: "Renamed" })).toBeTruthy();
    expect(api.requestsTo("PUT /api/v1/credentials/:id")[0]?.body).not.toHaveProperty("value");
  });

  test("VAULT-17, VAULT-18, VAULT-26: Delete asks for confirmation, lists its effects and removes the card", async () => {
    const { user } = await openVault(aCredential(), aCredential({ name: "Other" }));
    api.on("DELETE /api/v1/credentials/:id", { json: { message: "Deleted" } });
    await chooseDelete(user);
    const dialog = within(await screen.findByRole("dialog", { name: "Delete Credential" }));
    expect(dialog.getByText(/cannot be undone/).textContent).toContain(
      "This action cannot be undone. It permanently removes the credential and all associated data. The tamper-evident audit trail keeps a record of the deletion.",
    );
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText('"Orders database" deleted successfully')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("article", { name: "Orders database" })).toBeNull());
    expect(card("Other")).toBeTruthy();
  });

  test("VAULT-27: a failed deletion shows its reason and keeps the card", async () => {
    const { user } = await openVault(aCredential());
    api.on("DELETE /api/v1/credentials/:id", problem(403, "role.insufficient", "Your role does not allow this."));
    await chooseDelete(user);
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Failed to delete credential: Your role does not allow this.")).toBeTruthy();
    expect(card("Orders database")).toBeTruthy();
  });

  test("VAULT-12, VAULT-13: Quick View shows status and history, and offers Copy and Rotate", async () => {
    const { user } = await openVault(aCredential({ verification_status: "verified" }));
    api.on("GET /api/v1/credentials/:id/history", { json: { history: [aHistoryEntry()], next_cursor: null } });
    await user.click(act("Orders database", "Quick View"));
    const dialog = within(await screen.findByRole("dialog", { name: "Credential Details" }));
    expect((await dialog.findByRole("region", { name: "Verification Status" })).textContent).toContain("Verified");
    expect(await dialog.findByText("Credential Verification")).toBeTruthy();
    expect(dialog.getByRole("button", { name: "Copy Password" })).toBeTruthy();
    expect(dialog.getByRole("button", { name: "Rotate Password" })).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Refresh" }));
    await waitFor(() => expect(api.requestsTo("GET /api/v1/credentials/:id/history")).toHaveLength(2));
    await user.click(dialog.getAllByRole("button", { name: "Close" }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

describe("Add Credential", () => {
  async function openForm() {
    api.on(LIST, page([]));
    const view = renderScreen(<CredentialListPage />, { at: "/vault" });
    await screen.findByText("No credentials found");
    await view.user.click(screen.getAllByRole("button", { name: "Add Credential" })[0] as HTMLElement);
    const dialog = within(await screen.findByRole("dialog", { name: "Add New Credential" }));
    await dialog.findByLabelText(/^Name/);
    return { ...view, dialog };
  }

  test("CRED-20, CRED-21, CRED-24: opens the dialog with its fields and buttons", async () => {
    const { dialog } = await openForm();
    for (const label of [/^Name/, /^Username/, /^Host/, /^Port/, /^Password\/Secret/]) {
      expect(dialog.getByLabelText(label)).toBeTruthy();
    }
    expect(valueOf(dialog.getByRole("combobox", { name: /^Type/ }))).toBe("Password");
    expect(valueOf(dialog.getByRole("combobox", { name: /^Environment/ }))).toBe("Production");
    expect(dialog.getByRole("button", { name: "Cancel" })).toBeTruthy();
    expect(dialog.getByRole("button", { name: "Add Credential" })).toBeTruthy();
  });

  test("CRED-09, CRED-10: stores the credential and shows it first, as pending", async () => {
    const { user, dialog } = await openForm();
    api.on("POST /api/v1/credentials", ({ body }) => ({
      status: 201,
      json: aCredential({ name: (body as { name: string }).name, type: "password" }),
    }));
    await user.type(dialog.getByLabelText(/^Name/), "Jump host");
    await user.type(dialog.getByLabelText(/^Password\/Secret/), "correct horse");
    await user.click(dialog.getByRole("button", { name: "Add Credential" }));
    const added = await screen.findByRole("article", { name: "Jump host" });
    expect(within(added).getAllByText("Pending")).toHaveLength(2);
    expect(api.requestsTo("POST /api/v1/credentials")[0]?.body).toMatchObject({
      name: "Jump host",
      value: "correct horse",
      username: null,
      environment: "production",
    });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("CRED-39, CRED-36: shows a refusal above the form until a field is edited", async () => {
    const { user, dialog } = await openForm();
    api.on("POST /api/v1/credentials", problem(409, "credential.exists", "A credential of that name exists."));
    await user.type(dialog.getByLabelText(/^Name/), "Jump host");
    await user.type(dialog.getByLabelText(/^Password\/Secret/), "correct horse");
    await user.click(dialog.getByRole("button", { name: "Add Credential" }));
    expect((await dialog.findByRole("alert")).textContent).toContain("A credential of that name exists.");
    await user.type(dialog.getByLabelText(/^Name/), " 2");
    await waitFor(() => expect(dialog.queryByRole("alert")).toBeNull());
  });

  test("CRED-40: quotes a reply that is not JSON", async () => {
    const { user, dialog } = await openForm();
    api.on("POST /api/v1/credentials", { status: 500, text: "upstream broke" });
    await user.type(dialog.getByLabelText(/^Name/), "Jump host");
    await user.type(dialog.getByLabelText(/^Password\/Secret/), "correct horse");
    await user.click(dialog.getByRole("button", { name: "Add Credential" }));
    expect((await dialog.findByRole("alert")).textContent).toContain("Server error: 500 - upstream broke");
  });

  test("CRED-26, CRED-30: reports missing values at their fields and sends nothing", async () => {
    const { user, dialog } = await openForm();
    await user.click(dialog.getByRole("button", { name: "Add Credential" }));
    await dialog.findByText("Name must be 3 to 100 characters");
    expect(dialog.getByText("Password/secret must be at least 8 characters")).toBeTruthy();
    expect(api.requestsTo("POST /api/v1/credentials")).toEqual([]);
  });

  test("CRED-22: masks the secret until the user reveals it", async () => {
    const { user, dialog } = await openForm();
    const secret = dialog.getByLabelText(/^Password\/Secret/);
    expect(secret.getAttribute("type")).toBe("password");
    await user.click(dialog.getByRole("button", { name: "Show password" }));
    expect(secret.getAttribute("type")).toBe("text");
    await user.click(dialog.getByRole("button", { name: "Hide password" }));
    expect(secret.getAttribute("type")).toBe("password");
  });

  test("generates a secret", async () => {
    const { user, dialog } = await openForm();
    await user.click(dialog.getByRole("button", { name: "Generate" }));
    expect(valueOf(dialog.getByLabelText(/^Password\/Secret/))).toHaveLength(24);
  });

  test("CRED-23, CRED-35: choosing a database type shows its fields and sets its port", async () => {
    const { user, dialog } = await openForm();
    expect(dialog.queryByLabelText(/^Database name/)).toBeNull();
    await user.click(dialog.getByRole("combobox", { name: /^Type/ }));
    await user.click(await screen.findByRole("option", { name: "PostgreSQL" }));
    expect(valueOf(dialog.getByLabelText(/^Port/))).toBe("5432");
    for (const label of [/^Database name/, /^Schema name/, /^Connection string/, "TLS mode"])
      expect(await dialog.findByLabelText(label, { selector: "input" })).toBeTruthy();
    expect(dialog.getByRole("switch", { name: "SSL enabled" })).toHaveProperty("checked", false);
  });

  test("CRED-23: also shows the schema field of database types where it is optional", async () => {
    const { user, dialog } = await openForm();
    await user.click(dialog.getByRole("combobox", { name: /^Type/ }));
    await user.click(await screen.findByRole("option", { name: "MySQL/MariaDB" }));
    expect(dialog.getByLabelText(/^Schema name/)).toHaveProperty("required", false);
  });

  test("CRED-34: the protocol's fields fill the additional parameters, and report errors", async () => {
    const { user, dialog } = await openForm();
    await user.click(await dialog.findByRole("combobox", { name: "Protocol" }));
    await user.click(await screen.findByRole("option", { name: "Active Directory" }));
    await user.type(dialog.getByLabelText("Domain controller"), "not a host");
    await user.click(dialog.getByRole("button", { name: "Add Credential" }));
    expect(await dialog.findByText("Enter a host name")).toBeTruthy();
  });

  test("masks a private key of many lines", async () => {
    const { user, dialog } = await openForm();
    await user.click(dialog.getByRole("combobox", { name: /^Type/ }));
    await user.click(within(await screen.findByRole("listbox")).getByRole("option", { name: "SSH Key" }));
    expect(dialog.getByLabelText(/^Password\/Secret/).tagName).toBe("TEXTAREA");
    await user.click(dialog.getByRole("button", { name: "Show password" }));
    expect(dialog.getByRole("button", { name: "Hide password" }).getAttribute("aria-pressed")).toBe("true");
  });
});
