import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { charactersOf } from "./secret-characters.ts";
import { HIDE_AFTER_MS, SecretDialog } from "./secret-dialog.tsx";

afterEach(() => vi.restoreAllMocks());

test("names each character, so that look-alikes cannot be confused", () => {
  expect(charactersOf("lI1 €").map(({ name }) => name)).toEqual([
    "lower case l",
    "upper case I",
    "digit 1",
    "space",
    "symbol €",
  ]);
  expect(charactersOf("a😀b")).toHaveLength(3);
});

test("shows every character of the secret in order", async () => {
  renderScreen(<SecretDialog title="Password of web1" secret="aB3-x" opened onClose={() => undefined} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Password of web1" }));
  expect(dialog.getAllByRole("listitem").map((item) => item.textContent)).toEqual(["a1", "B2", "33", "-4", "x5"]);
});

test("shows a private key as a block", async () => {
  const key = "-----BEGIN KEY-----\nabc\n-----END KEY-----";
  renderScreen(<SecretDialog title="Key" secret={key} opened onClose={() => undefined} />);
  const dialog = await screen.findByRole("dialog", { name: "Key" });
  expect(dialog.textContent).toContain(key);
  expect(within(dialog).queryByRole("list", { name: "Characters" })).toBeNull();
});

test("hides the secret after a minute", async () => {
  const onClose = vi.fn();
  renderScreen(<SecretDialog title="Password" secret="secret" opened onClose={onClose} />);
  await screen.findByRole("list", { name: "Characters" });
  expect(onClose).not.toHaveBeenCalled();
  const later = Date.now() + HIDE_AFTER_MS;
  vi.spyOn(Date, "now").mockImplementation(() => later);
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});
