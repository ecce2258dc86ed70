import type { CredentialId, LiveEvent } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import { MOST_SINGLE, createFollower } from "./follower.ts";

const changed = (id: string): LiveEvent => ({
  id: `event-${id}`,
  timestamp: "2026-11-21T10:00:00.000Z",
  type: "credential.changed",
  data: { credential_id: id as CredentialId },
});

/** A follower whose pause ends when the test says so. */
function aFollower(held: (id: string) => boolean = () => true) {
  const did: string[] = [];
  let waiting: (() => void)[] = [];
  const follow = createFollower(
    {
      changedIn: (event) => (event.type === "credential.changed" ? event.data.credential_id : null),
      deletedIn: (event) => (event.type === "credential.deleted" ? event.data.credential_id : null),
      isHeld: held,
      refreshOne: (id) => did.push(id),
      refreshAll: () => did.push("all"),
      gone: (id) => did.push(`gone ${id}`),
    },
    (run) => waiting.push(run),
  );
  return {
    follow,
    did,
    pass: () => {
      const runs = waiting;
      waiting = [];
      for (const run of runs) run();
    },
  };
}

describe("live changes of the things on screen", () => {
  test("are fetched one by one, each once, after a pause", () => {
    const { follow, did, pass } = aFollower();
    for (const id of ["a", "b", "a"]) follow(changed(id));
    expect(did).toEqual([]);
    pass();
    expect(did).toEqual(["a", "b"]);
  });

  test("are collected anew after each pause", () => {
    const { follow, did, pass } = aFollower();
    follow(changed("a"));
    pass();
    follow(changed("b"));
    pass();
    expect(did).toEqual(["a", "b"]);
  });

  test("of what is not on screen fetch nothing", () => {
    const { follow, did, pass } = aFollower((id) => id === "a");
    follow(changed("a"));
    follow(changed("z"));
    pass();
    expect(did).toEqual(["a"]);
  });

  test("in a flood are fetched as pages", () => {
    const { follow, did, pass } = aFollower();
    for (let n = 0; n <= MOST_SINGLE; n += 1) follow(changed(String(n)));
    pass();
    expect(did).toEqual(["all"]);
  });

  test("take a deleted thing away at once", () => {
    const { follow, did } = aFollower();
    follow({ ...changed("a"), type: "credential.deleted" } as LiveEvent);
    expect(did).toEqual(["gone a"]);
  });
});
