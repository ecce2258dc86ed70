// Users for tests, as the server sends them.
import { randomUUID } from "node:crypto";
import type { User } from "@strongroom/contract";

export function aUser(given: Partial<User> = {}): User {
  return {
    id: randomUUID() as User["id"],
    email: "ana@example.test",
    name: "Ana",
    role: "user",
    requested_role: null,
    status: "active",
    created_at: "2026-11-01T08:00:00.000Z",
    last_signed_in_at: null,
    invited_at: null,
    slowed_down_until: null,
    open_sessions: 1,
    signs_in_through: null,
    ...given,
  };
}
