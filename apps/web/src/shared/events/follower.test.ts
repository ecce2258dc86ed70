import type { CredentialId, LiveEvent } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import { MAX_SINGLE_READS, createFollower } from "./follower.ts";

const changed = (id: string): LiveEvent => ({
  id: `event-${id}`,
  timestamp: "2026-11-21T10:00:00.000Z",
  type: "credential.changed",
  data: { credential_id: id as CredentialId },
});

/** A follower whose pause ends when the test triggers it. */
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

describe("live changes of the items on screen", () => {
  test("changed items are fetched one by one, each once, after a pause", () => {
    const { follow, did, pass } = aFollower();
    for (const id of ["a", "b", "a"]) follow(changed(id));
    expect(did).toEqual([]);
    pass();
    expect(did).toEqual(["a", "b"]);
  });

  test("changes are collected again after each pause", () => {
    const { follow, did, pass } = aFollower();
    follow(changed("a"));
    pass();
    follow(changed("b"));
    pass();
    expect(did).toEqual(["a", "b"]);
  });

  test("changes of items that are not on screen are ignored", () => {
    const { follow, did, pass } = aFollower((id) => id === "a");
    follow(changed("a"));
    follow(changed("z"));
    pass();
    expect(did).toEqual(["a"]);
  });

  test("many changes are fetched as pages", () => {
    const { follow, did, pass } = aFollower();
    for (let n = 0; n <= MAX_SINGLE_READS; n += 1) follow(changed(String(n)));
    pass();
    expect(did).toEqual(["all"]);
  });

  test("a deleted item is removed immediately", () => {
    const { follow, did } = aFollower();
    follow({ ...changed("a"), type: "credential.deleted" } as LiveEvent);
    expect(did).toEqual(["gone a"]);
  });
});
