import { AccountId, type SearchResult } from "@strongroom/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { SearchBox } from "#app/shell/search-box.tsx";
import { anAccount } from "#features/accounts/testing/an-account.ts";

const ID = AccountId.parse("33333333-3333-4333-8333-333333333333");
const web1: SearchResult = {
  kind: "account",
  id: ID,
  title: "web1 root",
  detail: "root at web1.example.com, in Website",
  can: ["verify", "rotate", "request"],
};
const safe: SearchResult = {
  kind: "safe",
  id: "44444444-4444-4444-8444-444444444444",
  title: "Website",
  detail: "2 accounts, owned by Dana",
  can: [],
};

let api: TestApi;
beforeEach(async () => {
  localStorage.clear();
  signInForTest();
  api = await startApi({
    "GET /api/v1/search": { json: { results: [web1, safe] } },
    "GET /api/v1/search/recent": ({ query }) => ({
      json: { results: query.get("items")?.includes(safe.id) ? [safe] : [] },
    }),
    "GET /api/v1/accounts/:id/details": { json: anAccount({ id: ID, name: "web1 root" }) },
    "GET /api/v1/platforms/:id": { json: {} },
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

const box = () => screen.getByRole("combobox", { name: "Search" });
const marked = () => screen.getAllByRole("option", { selected: true }).map(({ textContent }) => textContent);

async function typed(text: string) {
  const view = renderScreen(<SearchBox />, { at: "/" });
  await view.user.click(box());
  await view.user.type(box(), text);
  await screen.findByRole("option", { name: /^web1 root/ });
  return view;
}

describe("OPEN-28, SHELL-18: the search box", () => {
  test("finds results while the user types, and the arrow keys and Enter open a result", async () => {
    const { user } = await typed("web");
    expect(box()).toHaveProperty("placeholder", "Search credentials, sessions, users...");
    const list = within(screen.getByRole("listbox", { name: "Search results" }));
    for (const name of ["Accounts", "Actions", "Safes"]) expect(list.getByRole("group", { name })).toBeTruthy();
    expect(marked()).toEqual(["web1 rootroot at web1.example.com, in Website"]);
    expect(box().getAttribute("aria-activedescendant")).toBe(screen.getAllByRole("option")[0]?.id);
    await user.keyboard("{ArrowUp}");
    expect(marked()).toEqual(["Website2 accounts, owned by Dana"]);
    await user.keyboard("{Enter}");
    expect((await screen.findByTestId("address")).textContent).toBe(`/safes/${safe.id}`);
  });

  test("Ctrl K and / focus the box; Escape closes the panel and keeps the text", async () => {
    const { user } = renderScreen(<SearchBox />, { at: "/" });
    for (const keys of ["{Control>}k{/Control}", "/"]) {
      (document.activeElement as HTMLElement | null)?.blur();
      await user.keyboard(keys);
      expect(document.activeElement).toBe(box());
      await user.keyboard("web");
      expect(box().getAttribute("aria-expanded")).toBe("true");
      await screen.findByRole("listbox");
      await user.keyboard("{Escape}");
      await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
      expect(box()).toHaveProperty("value", "web");
    }
  });

  test("? opens the page with the keyboard shortcuts, but types a question mark in a field", async () => {
    const { user, router } = renderScreen(<SearchBox />, { at: "/" });
    await user.click(screen.getByRole("combobox"));
    await user.keyboard("?");
    expect(screen.getByRole("combobox")).toHaveProperty("value", "?");
    act(() => (document.activeElement as HTMLElement).blur());
    await user.keyboard("?");
    expect(router.state.location.pathname).toBe("/help");
  });

  test("Enter opens a result for the latest text, even while the response is pending", async () => {
    const { user } = await typed("web");
    const slow = Promise.withResolvers<void>();
    api.on("GET /api/v1/search", async () => {
      await slow.promise;
      return { json: { results: [safe] } };
    });
    await user.type(box(), "site{Enter}");
    expect(screen.queryByTestId("address")).toBeNull();
    slow.resolve();
    expect((await screen.findByTestId("address")).textContent).toBe(`/safes/${safe.id}`);
  });

  test("an action opens the page's own dialog; requesting access opens the request form", async () => {
    const { user } = await typed("rotate web");
    await user.click(screen.getByRole("option", { name: /^Rotate web1 root/ }));
    const dialog = await screen.findByRole("dialog", { name: "Rotate Password" });
    expect(within(dialog).getByText("web1 root")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await user.click(box());
    await user.type(box(), "request access to web");
    await user.click(await screen.findByRole("option", { name: /^Request access to web1 root/ }));
    expect((await screen.findByTestId("address")).textContent).toBe(`/jit-access?ask=${ID}`);
  });

  test("Connect opens the page of a new session", async () => {
    api.on("GET /api/v1/search", { json: { results: [{ ...web1, can: ["connect"] }] } });
    const { user } = await typed("connect to web");
    await user.click(screen.getByRole("option", { name: /^Connect to web1 root/ }));
    expect((await screen.findByTestId("address")).textContent).toBe(`/accounts/${ID}/connect`);
  });

  test("stores recent items by id only and shows their current names", async () => {
    const { user, unmount } = await typed("web");
    await user.click(screen.getByRole("option", { name: /^Website/ }));
    await screen.findByTestId("address");
    const kept = () => localStorage.getItem(`strongroom.recent.${TEST_USER.id}`);
    await waitFor(() => expect(kept()).toBe(JSON.stringify([`safe:${safe.id}`])));
    unmount();
    const again = renderScreen(<SearchBox />, { at: "/" });
    await again.user.click(box());
    expect(await screen.findByRole("group", { name: "Recent" })).toBeTruthy();
    expect(screen.getByRole("option").textContent).toContain("Website");
  });

  test("says when nothing was found", async () => {
    api.on("GET /api/v1/search", { json: { results: [] } });
    const { user } = renderScreen(<SearchBox />, { at: "/" });
    await user.type(box(), "zzz");
    expect(await screen.findByText("No results")).toBeTruthy();
  });
});
