import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { EnvironmentBadge } from "./environment-badge.tsx";

test("VAULT-08: shows production in the danger colour", () => {
  renderScreen(<EnvironmentBadge credential={{ environment: "production" }} />);
  expect(screen.getByText("Production").getAttribute("data-tone")).toBe("danger");
});
