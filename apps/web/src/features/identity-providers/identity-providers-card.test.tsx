import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { IdentityProvider } from "@strongroom/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { IdentityProvidersCard } from "./identity-providers-card.tsx";

const AT = "2026-11-20T10:00:00.000Z";
const ID = "66666666-6666-4666-8666-666666666666" as IdentityProvider["id"];
const company: IdentityProvider = {
  id: ID,
  kind: "oidc",
  name: "Company login",
  is_enabled: true,
  creates_people: true,
  links_by_email: false,
  without_group: "refuse",
  role_mappings: [{ group: "ops", role: "manager" }],
  domains: ["corp.example"],
  settings: {
    issuer: "https://login.corp.example",
    client_id: "strongroom",
    scopes: "openid profile email",
    group_claim: "groups",
    factor_values: ["mfa"],
    ca: null,
  },
  has_secret: true,
  people: 2,
  redirect_uri: `https://strongroom.example/auth/callback/${ID}`,
  post_logout_redirect_uri: "https://strongroom.example/login",
  created_at: AT,
  updated_at: AT,
};

const LIST = "GET /api/v1/identity-providers";
const CHANGE = "PUT /api/v1/identity-providers/:id";
let api: TestApi;
let providers: IdentityProvider[];
beforeEach(async () => {
  signInForTest({ role: "admin" });
  providers = [company];
  api = await startApi({ [LIST]: () => ({ json: { data: providers } }), [CHANGE]: () => ({ json: company }) });
});
afterEach(() => api.close());

/** Sets the whole value at once, because typing letter by letter is slow in a large form. */
const fill = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

async function open() {
  const view = renderScreen(<IdentityProvidersCard />);
  const card = within(await screen.findByRole("article", { name: "Company login" }));
  return { ...view, card };
}

test("each provider shows its address, its users, its role mappings and the callback address to register", async () => {
  const { card } = await open();
  for (const text of [
    "OpenID Connect",
    "https://login.corp.example",
    "2",
    "Created",
    "From 1 group",
    `https://strongroom.example/auth/callback/${ID}`,
    "Enabled",
  ]) {
    expect(card.getByText(text), text).toBeTruthy();
  }
  expect(card.getByTitle("Other users cannot sign in")).toBeTruthy();
});

test("an empty card explains providers; a failed load can be retried", async () => {
  providers = [];
  const { unmount } = renderScreen(<IdentityProvidersCard />);
  expect(await screen.findByText("No sign-in providers")).toBeTruthy();
  unmount();
  api.on(LIST, problem(500, "internal", "No"));
  renderScreen(<IdentityProvidersCard />);
  expect(await screen.findByText("Failed to load the sign-in providers")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
});

test("an administrator adds a directory with group mappings, and errors show at their fields", async () => {
  api.on("POST /api/v1/identity-providers", { status: 201, json: company });
  const { user } = await open();
  await user.click(screen.getByRole("button", { name: "Add Provider" }));
  await user.click(await screen.findByRole("menuitem", { name: "LDAP directory" }));
  const form = await dialog("Add LDAP directory");
  await user.click(form.getByRole("button", { name: "Add Provider" }));
  expect(await form.findByText("Please enter a name.")).toBeTruthy();
  expect(form.getByText("Please enter the base DN for users.")).toBeTruthy();
  expect(form.getByText(/Must be ldaps:\/\/host/)).toBeTruthy();
  fill(form.getByLabelText(/^Name\b(?! attribute)/), "The directory");
  fill(form.getByLabelText(/^Address/), "ldaps://directory.corp.example");
  fill(form.getByLabelText(/^User base DN/), "ou=people,dc=corp");
  fill(form.getByLabelText("Bind DN"), "cn=reader,dc=corp");
  fill(form.getByLabelText("Bind password"), "reader secret");
  fill(form.getByLabelText("Domains"), "corp.example, corp.test");
  await user.click(form.getByRole("button", { name: "Add a Group" }));
  fill(form.getByLabelText("Group 1"), "admins");
  await user.click(form.getByRole("button", { name: "Add Provider" }));
  await waitFor(() => expect(api.requestsTo("POST /api/v1/identity-providers")).toHaveLength(1));
  const [sent] = api.requestsTo("POST /api/v1/identity-providers");
  expect(sent?.body).toMatchObject({
    kind: "ldap",
    secret: "reader secret",
    domains: ["corp.example", "corp.test"],
    role_mappings: [{ group: "admins", role: "user" }],
    settings: { url: "ldaps://directory.corp.example", bind_dn: "cn=reader,dc=corp", id_attribute: "entryUUID" },
  });
}, 30_000);

test("editing keeps a stored secret, warns about linking accounts, and shows the server's refusal", async () => {
  const { user, card } = await open();
  await user.click(card.getByRole("button", { name: "Edit" }));
  const form = await dialog("Edit Company login");
  expect(form.getByLabelText("Client secret")).toHaveProperty("value", "");
  expect(form.getByPlaceholderText("Stored. Leave empty to keep it.")).toBeTruthy();
  expect(form.queryByText(/gets that person's account here/)).toBeNull();
  await user.click(form.getByRole("switch", { name: /Link existing users/ }));
  expect(form.getByText(/gets that person's account here/)).toBeTruthy();
  const message = "The destination of the secret has changed. Enter the secret again.";
  api.on(CHANGE, {
    status: 400,
    json: {
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      code: "identity-provider.secret-needed",
      detail: message,
      message,
      request_id: "r",
      errors: [{ path: "secret", msg: message }],
    },
  });
  await user.click(form.getByRole("button", { name: "Save Changes" }));
  expect((await form.findAllByText(message)).length).toBeGreaterThan(0);
  expect(api.requestsTo(CHANGE)[0]?.body).not.toHaveProperty("secret");
  expect(api.requestsTo(CHANGE)[0]?.body).toMatchObject({ links_by_email: true, settings: { factor_values: ["mfa"] } });
}, 30_000);

test("Test shows each step with its result, and Delete says which users will be signed out", async () => {
  api.on("POST /api/v1/identity-providers/:id/test", {
    json: {
      is_good: false,
      steps: [
        { is_good: true, text: "It answers." },
        { is_good: false, text: "The secret is wrong." },
      ],
    },
  });
  const { user, card } = await open();
  await user.click(card.getByRole("button", { name: "Test Company login" }));
  const trial = await dialog("Test Company login");
  await user.click(trial.getByRole("button", { name: "Test" }));
  expect(await trial.findByText("The secret is wrong.")).toBeTruthy();
  expect(trial.getByRole("img", { name: "Failed" })).toBeTruthy();
  await user.click(trial.getByRole("button", { name: "Done" }));
  await user.click(card.getByRole("button", { name: "Delete" }));
  const confirm = await dialog("Delete Provider");
  expect(confirm.getByText(/2 users will be signed out/)).toBeTruthy();
}, 30_000);
