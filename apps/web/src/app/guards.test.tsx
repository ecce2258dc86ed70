import { act, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { currentSession } from "#shared/session/session-store.ts";
import { SignedOutOnly, Protected } from "./guards.tsx";
import { renderScreen } from "./testing/render.tsx";
import { signInForTest, signOutForTest } from "./testing/sign-in.ts";

afterEach(() => signOutForTest());

test('SHELL-01, AUTH-25, AUTH-28: a page shows "Authenticating..." until the session is known, then its content', () => {
  expect(currentSession()).toEqual({ status: "loading", user: null, token: null });
  const inside = <p>What only they may see</p>;
  renderScreen(null, { routes: [{ element: <Protected />, children: [{ path: "/", element: inside }] }] });
  expect(screen.getByText("Authenticating...")).toBeTruthy();
  act(() => signInForTest());
  expect(currentSession()).toMatchObject({ status: "signed-in" });
  expect(screen.queryByText("Authenticating...")).toBeNull();
  expect(screen.getByText("What only they may see")).toBeTruthy();
});

test("sign-in pages render for visitors", () => {
  expect(currentSession().status).toBe("signed-out");
  renderScreen(null, { routes: [{ element: <SignedOutOnly />, children: [{ path: "/", element: <p>Come in</p> }] }] });
  expect(screen.getByText("Come in")).toBeTruthy();
});
