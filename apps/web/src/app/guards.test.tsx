import { act, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { currentSession } from "#shared/session/session-store.ts";
import { Entrance, Protected } from "./guards.tsx";
import { renderScreen } from "./testing/render.tsx";
import { signInForTest, signOutForTest } from "./testing/sign-in.ts";

afterEach(() => signOutForTest());

test('SHELL-01, AUTH-25, AUTH-28: until it is known who is signed in, a page is "Authenticating..."; then it shows', () => {
  expect(currentSession()).toEqual({ status: "loading", user: null, token: null });
  const inside = <p>What only they may see</p>;
  renderScreen(null, { routes: [{ element: <Protected />, children: [{ path: "/", element: inside }] }] });
  expect(screen.getByText("Authenticating...")).toBeTruthy();
  act(() => signInForTest());
  expect(currentSession()).toMatchObject({ status: "signed-in" });
  expect(screen.queryByText("Authenticating...")).toBeNull();
  expect(screen.getByText("What only they may see")).toBeTruthy();
});

test("an entrance is shown to those who are signed out", () => {
  expect(currentSession().status).toBe("signed-out");
  renderScreen(null, { routes: [{ element: <Entrance />, children: [{ path: "/", element: <p>Come in</p> }] }] });
  expect(screen.getByText("Come in")).toBeTruthy();
});
