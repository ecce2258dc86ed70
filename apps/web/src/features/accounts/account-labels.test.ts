import { expect, test } from "vitest";
import { rotationBadge } from "./account-labels.ts";

test.each([
  ["current", "Current"],
  ["due_soon", "Due Soon"],
  ["overdue", "Overdue"],
  ["no_policy", "No Policy"],
  ["what comes later", "Unknown"],
])("ACC-32: %s has the badge %s", (status, label) => expect(rotationBadge(status).label).toBe(label));
