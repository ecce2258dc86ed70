// A rotation as the server returns it, for tests.
import { randomUUID } from "node:crypto";
import type { Rotation } from "@strongroom/contract";
import { TEST_USER } from "#app/testing/sign-in.ts";

/** Each call returns a rotation with a new id, running, with the change sent to the target. */
export function aRotation(given: Partial<Rotation> = {}): Rotation {
  return {
    id: randomUUID() as Rotation["id"],
    secret_id: randomUUID(),
    is_account: false,
    name: "Orders database",
    state: "running",
    step: "sent",
    by: "account",
    because: "asked",
    asked_by: TEST_USER.name,
    message: "The change is being sent.",
    code: null,
    tries: 1,
    next_at: null,
    started_at: new Date().toISOString(),
    ended_at: null,
    ...given,
  };
}
