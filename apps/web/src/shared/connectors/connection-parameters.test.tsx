import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { ConnectionParameters } from "./connection-parameters.tsx";
import type { Params } from "./parameter-values.ts";
import { CONNECTORS } from "./testing/descriptions.ts";

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({ "GET /api/v1/connectors": { json: { connectors: CONNECTORS } } });
});
afterEach(() => api.close());

function Form({ stored, type, onSave }: { stored: Params; type: string; onSave: (values: object) => void }) {
  const form = useForm({ initialValues: { additional_params: stored, port: "443" } });
  return (
    <form onSubmit={form.onSubmit(onSave)}>
      <ConnectionParameters form={form} kind={{ type, connection_string: "" }} stored={stored} usualPort="443" />
      <Button type="submit">Save</Button>
    </form>
  );
}

async function open(stored: Params, type = "application") {
  let saved: unknown;
  const view = renderScreen(<Form stored={stored} type={type} onSave={(values) => (saved = values)} />);
  await screen.findByRole("group", { name: "Additional Parameters" });
  const choose = async (name: string, choice: string) => {
    await view.user.click(screen.getByRole("combobox", { name }));
    const list = await screen.findByRole("listbox", { name });
    await view.user.click(within(list).getByRole("option", { name: choice }));
  };
  const save = async () => {
    await view.user.click(screen.getByRole("button", { name: "Save" }));
    return saved;
  };
  return { ...view, choose, save };
}

/** Sets a value at once instead of typing it, for speed. */
const put = (input: HTMLElement, value: string) => fireEvent.change(input, { target: { value } });

test("the fields of any described connector are generated, and fill its parameters without JSON", async () => {
  const { user, choose, save } = await open({});
  await choose("Protocol", "Invented protocol");
  put(screen.getByRole("textbox", { name: "Realm" }), "north");
  put(screen.getByRole("textbox", { name: "Tries" }), "3");
  await choose("Mode", "Fast");
  await user.click(screen.getByRole("switch", { name: "Strict" }));
  put(screen.getByRole("textbox", { name: "Groups" }), "admins\n\nowners");
  await user.click(screen.getByRole("button", { name: "Add row to Body" }));
  put(screen.getByRole("textbox", { name: "Body, row 1: Name" }), "password");
  put(screen.getByRole("textbox", { name: "Body, row 1: Value" }), "{new}");
  await user.click(screen.getByRole("button", { name: "Add row to Steps" }));
  put(screen.getByRole("textbox", { name: "Steps, row 1: Prompt" }), "*#");
  await user.click(screen.getByRole("switch", { name: "Steps, row 1: Optional" }));
  await user.click(screen.getByRole("button", { name: "Add row to Steps" }));
  expect(await save()).toEqual({
    port: "4711",
    additional_params: {
      protocol: "invented",
      realm: "north",
      tries: 3,
      mode: "fast",
      strict: false,
      groups: ["admins", "owners"],
      body: { password: "{new}" },
      script: { steps: [{ expect: "*#", optional: true }] },
    },
  });
});

test("a stored entry opens with its values and saves them unchanged", async () => {
  const stored: Params = {
    protocol: "Invented",
    realm: "north",
    tries: "3",
    mode: "slow",
    strict: true,
    groups: ["a"],
    body: { x: "{old}" },
    script: { steps: [{ expect: "*#" }], other: 1 },
    legacy: { deep: [true, null, "x"] },
  };
  const { save } = await open(stored);
  expect(screen.getByRole("combobox", { name: "Protocol" })).toHaveProperty("value", "Invented protocol");
  expect(screen.getByRole("combobox", { name: "Mode" })).toHaveProperty("value", "slow");
  const others = within(screen.getByRole("group", { name: "Other parameters" })).getAllByRole("textbox");
  expect(others.map((each) => (each as HTMLInputElement).value)).toEqual(["1", "true", "null", "x"]);
  expect(await save()).toEqual({ port: "443", additional_params: stored });
});

test("values that do not fit the field's type stay readable, editable and removable", async () => {
  const { user, save } = await open({ protocol: "invented", realm: "", groups: "admins", body: { a: { b: "{old}" } } });
  expect(screen.queryByRole("textbox", { name: "Groups" })).toBeNull();
  await user.type(screen.getByRole("textbox", { name: "body.a.b" }), "!");
  await user.click(screen.getByRole("button", { name: "Remove groups" }));
  expect(await save()).toHaveProperty("additional_params", {
    protocol: "invented",
    realm: "",
    body: { a: { b: "{old}!" } },
  });
});

test("an unknown protocol is shown and kept", async () => {
  const { save } = await open({ protocol: "rdp", host: "x" });
  expect(screen.getByRole("combobox", { name: "Protocol" })).toHaveProperty("value", "rdp (unknown)");
  expect(await save()).toHaveProperty("additional_params", { protocol: "rdp", host: "x" });
});

test("more options open with the keyboard", async () => {
  const { user } = await open({ protocol: "redis" });
  expect(screen.queryByRole("textbox", { name: "Trusted certificates" })).toBeNull();
  screen.getByRole("button", { name: "More options" }).focus();
  await user.keyboard("{Enter}");
  expect(screen.getByRole("textbox", { name: "Trusted certificates" })).toBeTruthy();
});

test("entries that need no protocol offer none", async () => {
  await open({}, "postgresql");
  expect(screen.queryByRole("combobox", { name: "Protocol" })).toBeNull();
  expect(screen.getByRole("combobox", { name: "TLS mode" })).toBeTruthy();
});

test("stored parameters are kept while the descriptions are missing", async () => {
  api.on("GET /api/v1/connectors", { status: 500, json: {} });
  let saved: unknown;
  const stored = { protocol: "redis", ca: "PEM" };
  const view = renderScreen(<Form stored={stored} type="application" onSave={(values) => (saved = values)} />);
  expect((await screen.findByRole("alert")).textContent).toMatch(/could not be loaded/);
  await view.user.click(screen.getByRole("button", { name: "Save" }));
  expect(saved).toHaveProperty("additional_params", stored);
});
