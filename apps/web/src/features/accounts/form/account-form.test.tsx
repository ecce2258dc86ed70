import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { ACCOUNT_DETAILS, type Account } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { CONNECTORS } from "#shared/connectors/testing/descriptions.ts";
import AccountsPage from "../list/accounts-page.tsx";
import { aPlatform, aSafe, anAccount } from "../testing/an-account.ts";

let api: TestApi;
const CREATE = "POST /api/v1/accounts";

beforeEach(async () => {
  signInForTest();
  api = await startApi({
    "GET /api/v1/connectors": { json: { connectors: CONNECTORS } },
    "GET /api/v1/accounts": { json: { data: [], next_cursor: null } },
    "GET /api/v1/accounts/statistics": {
      json: { total: 0, active: 0, requiring_rotation: 0, validation_valid: 0, validation_invalid: 0 },
    },
    "GET /api/v1/platforms": { json: { platforms: [aPlatform()] } },
    "GET /api/v1/safes": { json: { safes: [aSafe()], next_cursor: null } },
  });
});
afterEach(() => api.close());

async function openForm() {
  const view = renderScreen(<AccountsPage />, { at: "/accounts" });
  await screen.findByText("No accounts found");
  await view.user.click(screen.getAllByRole("button", { name: "Add Account" })[0] as HTMLElement);
  const dialog = await screen.findByRole("dialog", { name: "Create New Account" });
  await within(dialog).findByRole("button", { name: "Create Account" });
  const field = (name: string | RegExp) => within(dialog).getByRole("textbox", { name });
  const choose = async (name: string, choice: string) => {
    await view.user.click(await within(dialog).findByRole("combobox", { name }));
    // Ignores the options of native selects elsewhere on the page.
    const list = await screen.findByRole("listbox", { name });
    await view.user.click(within(list).getByRole("option", { name: choice }));
  };
  const submit = () => view.user.click(within(dialog).getByRole("button", { name: "Create Account" }));
  return { ...view, dialog, field, choose, submit };
}

type Form = Awaited<ReturnType<typeof openForm>>;

/** Sets values directly instead of typing, for speed; the tests that need keystrokes type them. */
async function fill({ dialog, field, choose }: Form) {
  const put = (input: HTMLElement, value: string) => fireEvent.change(input, { target: { value } });
  put(field("Account Name"), "root on web1");
  put(field("Hostname/IP Address"), "web1.internal");
  put(field("Username"), "root");
  put(within(dialog).getByLabelText(/^Password/, { selector: "input" }), "a known password");
  await choose("Platform ID", "Linux servers");
  await choose("Safe", "Web servers");
}

const sections = (dialog: HTMLElement) =>
  within(dialog)
    .getAllByRole("heading", { level: 3 })
    .map((heading) => heading.textContent);

describe("Create New Account", () => {
  test("ACC-45 to ACC-48, ACC-52, ACC-53, ACC-55, OPEN-87, OPEN-150: shows its sections, fields and buttons", async () => {
    const { dialog, field } = await openForm();
    expect(sections(dialog)).toEqual(["Account Information", "Credentials", "Organization", "Notes"]);
    for (const name of ["Account Name", "Port", "Hostname/IP Address", "Username", "Notes"]) {
      expect(field(name)).toBeTruthy();
    }
    for (const name of ["Connection Method", "System Type", "Platform ID", "Safe"]) {
      expect(within(dialog).getByRole("combobox", { name })).toBeTruthy();
    }
    expect(within(dialog).getByRole("combobox", { name: "Connection Method" })).toHaveProperty("value", "RDP");
    expect(within(dialog).getByRole("button", { name: "Show password" })).toBeTruthy();
    expect(within(dialog).getByRole("button", { name: "Cancel" })).toBeTruthy();
    expect(within(dialog).getByRole("link", { name: "Create a safe first" }).getAttribute("href")).toBe("/safes");
  });

  test("ACC-56: offers the safes to which the caller may add accounts", async () => {
    await openForm();
    await waitFor(() => expect(api.requestsTo("GET /api/v1/safes")[0]?.query.get("permission")).toBe("add"));
  });

  test("ACC-49 to ACC-51, ACC-71 to ACC-74: a database type shows its section and sets its port and SQL", async () => {
    const { dialog, choose, field } = await openForm();
    await choose("System Type", "PostgreSQL");
    expect(sections(dialog)).toContain("Database Configuration");
    expect(field("Port")).toHaveProperty("value", "5432");
    expect(within(dialog).getByRole("combobox", { name: "Connection Method" })).toHaveProperty("value", "SQL");
    for (const name of ["Database Name", "Schema Name", "Connection String (optional)"]) {
      expect(field(name)).toBeTruthy();
    }
    const parameters = within(dialog).getByRole("group", { name: "Additional Parameters" });
    expect(within(parameters).getByRole("combobox", { name: "TLS mode" })).toBeTruthy();
    expect(within(dialog).getByRole("checkbox", { name: "Enable SSL/TLS" })).toBeTruthy();
    await choose("System Type", "MariaDB");
    expect(within(dialog).queryByRole("textbox", { name: "Schema Name" })).toBeNull();
    expect(field("Port")).toHaveProperty("value", "3306");
  });

  test("ACC-58, ACC-59, ACC-60: shows the first broken rule until the user edits the form", async () => {
    const { user, dialog, field, submit } = await openForm();
    await submit();
    expect(await within(dialog).findByText("Account name is required")).toBeTruthy();
    expect(within(dialog).queryByText("Hostname/IP is required")).toBeNull();
    await user.type(field("Account Name"), "r");
    expect(within(dialog).queryByText("Account name is required")).toBeNull();
    await submit();
    expect(await within(dialog).findByText("Hostname/IP is required")).toBeTruthy();
    expect(api.requestsTo(CREATE)).toHaveLength(0);
  });

  test("starts with a search for the system, which fills in the fields that follow from it", async () => {
    const { user, dialog, field } = await openForm();
    const search = within(dialog).getByRole("combobox", { name: "System" });
    await waitFor(() => expect(search.getAttribute("placeholder")).toContain("Search"));
    expect(document.activeElement).toBe(search);
    await user.keyboard("postg{Enter}");
    expect(search).toHaveProperty("value", "PostgreSQL");
    expect(within(dialog).getByRole("combobox", { name: "System Type" })).toHaveProperty("value", "PostgreSQL");
    expect(field("Database Name")).toHaveProperty("value", "postgres");
    expect(field("Port")).toHaveProperty("value", "5432");
  });

  test("has a field for every detail of an account", async () => {
    const { field } = await openForm();
    for (const { label } of Object.values(ACCOUNT_DETAILS)) expect(field(label)).toBeTruthy();
  });

  test("ACC-54, ACC-57, OPEN-85: sends the entered values, shows progress and closes", async () => {
    const form = await openForm();
    await fill(form);
    let finish: (account: Account) => void = () => undefined;
    api.on(CREATE, () => new Promise((resolve) => (finish = (json) => resolve({ status: 201, json }))));
    await form.submit();
    expect(await within(form.dialog).findByRole("button", { name: "Creating..." })).toHaveProperty("disabled", true);
    await waitFor(() => expect(api.requestsTo(CREATE)).toHaveLength(1));
    finish(anAccount());
    expect(await screen.findByText('Account "root on web1" created successfully')).toBeTruthy();
    expect(await screen.findByRole("article", { name: "root on web1" })).toBeTruthy();
    expect(api.requestsTo(CREATE)[0]?.body).toMatchObject({
      name: "root on web1",
      hostname: "web1.internal",
      username: "root",
      password: "a known password",
      port: "",
      ssl_enabled: false,
      additional_params: {},
    });
    expect(JSON.stringify(form.queryClient.getMutationCache().getAll())).not.toContain("a known password");
  });

  test("ACC-79, ACC-59: shows a refusal above the form until a field is edited", async () => {
    const form = await openForm();
    await fill(form);
    api.on(CREATE, problem(403, "safe.permission-missing", "You may not add accounts to this safe."));
    await form.submit();
    const text = "Permission denied: You don't have permission to create accounts.";
    expect(await within(form.dialog).findByText(text)).toBeTruthy();
    await form.user.type(form.field("Notes"), "x");
    expect(within(form.dialog).queryByText(text)).toBeNull();
  });

  test("ACC-50, ACC-57: the protocol's fields fill the additional parameters", async () => {
    const form = await openForm();
    await fill(form);
    await form.choose("Protocol", "Active Directory");
    await form.user.type(form.field("Domain"), "corp.example");
    api.on(CREATE, { status: 201, json: anAccount() });
    await form.submit();
    await waitFor(() => expect(api.requestsTo(CREATE)).toHaveLength(1));
    expect(api.requestsTo(CREATE)[0]?.body).toMatchObject({
      additional_params: { protocol: "active-directory", domain: "corp.example" },
    });
  });

  test("ACC-69: shows an invalid parameter at its field and saves nothing", async () => {
    const form = await openForm();
    await fill(form);
    await form.choose("Protocol", "Active Directory");
    await form.user.type(form.field("Domain controller"), "not a host");
    await form.submit();
    expect(await within(form.dialog).findByText("Enter a host name")).toBeTruthy();
    expect(document.activeElement).toBe(form.field("Domain controller"));
    expect(api.requestsTo(CREATE)).toHaveLength(0);
  });

  test("ACC-71: choosing Redis sets its port and TLS, and choosing a different system resets them", async () => {
    const form = await openForm();
    await form.choose("Protocol", "Redis");
    expect(form.field("Port")).toHaveProperty("value", "6379");
    expect(within(form.dialog).getByRole("combobox", { name: "TLS mode" })).toHaveProperty(
      "value",
      "Check certificate and name",
    );
    await form.choose("System Type", "MySQL");
    expect(form.field("Port")).toHaveProperty("value", "3306");
    expect(within(form.dialog).queryByRole("combobox", { name: "Protocol" })).toBeNull();
  });

  test.each([
    [
      "ACC-76",
      { isCut: true },
      /^Network error: Unable to connect to the server\. Please check your connection and try/,
    ],
    ["ACC-80", { status: 500, json: {} }, "An error occurred while creating the account."],
  ])("%s: a failed save shows its message in view", async (_, answer, text) => {
    const scrolled = vi.spyOn(HTMLElement.prototype, "scrollIntoView");
    const form = await openForm();
    await fill(form);
    api.on(CREATE, answer);
    await form.submit();
    const alert = (await within(form.dialog).findByText(text)).closest("[role=alert]");
    expect(scrolled.mock.contexts).toContain(alert);
    scrolled.mockRestore();
  });

  test("shows the server's validation errors at their fields", async () => {
    const form = await openForm();
    await fill(form);
    const msg = "Password/secret can have at most 65,536 characters";
    api.on(CREATE, problem(400, "validation", "Please check your input.", { errors: [{ path: "password", msg }] }));
    await form.submit();
    expect(await within(form.dialog).findByText(msg)).toBeTruthy();
  });
});
