// Tests of the progress of a scan, and of scans whose target stops answering, against a Linux host in a namespace.
import { readDiscoveryScan, updateDiscoveryTarget } from "@strongroom/contract";
import type { DiscoveryScan, InputOf } from "@strongroom/contract";
import { needs, startUnixHost, unixHostAvailable } from "@strongroom/connectors/testing";
import type { UnixHost } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { eventually } from "#testing/waiting.ts";
import { SSH, aDiscoveryWorld, byId, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

const ALICE = "useradd -m alice; echo 'alice ALL=(ALL) ALL' > /etc/sudoers.d/alice";

/** Lists the accounts, and then hangs before groups, states of passwords and rules of sudo. */
const HANGS_AFTER_ACCOUNTS = `${ALICE}; useradd -m bob
  printf '#!/bin/sh\\n[ "$1" = group ] && exec sleep 1000\\nexec /usr/bin/getent "$@"\\n' > /usr/local/bin/getent
  chmod 755 /usr/local/bin/getent`;

describe("a host that stops answering", needs(unixHostAvailable()), () => {
  let world: DiscoveryWorld;
  let whole: UnixHost;
  let hanging: UnixHost;
  before(async () => {
    world = await aDiscoveryWorld();
    whole = await startUnixHost("whole", `${ALICE}; useradd -m carol`);
    hanging = await startUnixHost("hanging", HANGS_AFTER_ACCOUNTS);
  });
  after(async () => {
    await whole?.stop();
    await hanging?.stop();
    await world.app.close();
  });

  test("SCAN-04: a scan shows its progress, and keeps what was listed before the time limit", async () => {
    const { app, owner, safe, linuxTarget, aTarget, scan, scanned, ended, found } = world;
    const loginOf = ({ host: hostname, port, scanner }: UnixHost) =>
      anAccount(app, owner, safe, { ...SSH, hostname, port, ...scanner });
    const target = await aTarget(linuxTarget(await loginOf(whole), whole));
    const first = await scanned(target);
    assert.deepEqual([first.status, first.metadata?.is_complete], ["completed", true]);
    assert.ok(first.metadata!.commands.length > 5 && first.metadata!.commands.some(({ success }) => success));

    // The same system, reached at another port, now hangs.
    const body = {
      ...linuxTarget(await loginOf(hanging), hanging),
      description: null,
      isActive: true,
      schedule: null,
    } as unknown as InputOf<typeof updateDiscoveryTarget>["body"] & { safeId?: unknown };
    delete body.safeId;
    const moved = await app.call(updateDiscoveryTarget, { ...byId(target), body, as: owner.token });
    assert.equal(moved.status, 200, moved.text);
    const started = await scan(target, { timeout: 8000 });
    const seen = await eventually<DiscoveryScan>(async () => {
      const { body } = await app.call(readDiscoveryScan, { ...byId(started.body), as: owner.token });
      return body.progress?.phase === "listing" ? body : null;
    });
    assert.equal(seen.metadata, null);
    assert.ok(seen.progress!.accounts! > 3);

    const partial = await ended(started.body);
    assert.deepEqual([partial.status, partial.progress], ["completed", null]);
    assert.equal(partial.metadata?.is_complete, false);
    assert.match(partial.metadata.incomplete_reason ?? "", /^Timed out after 8 s/);
    const groups = partial.metadata.commands.find(({ command }) => command === "getent group");
    assert.deepEqual([groups?.success, groups?.exitCode], [false, null]);
    const list = await found(target);
    // INVARIANT: a list that was cut off adds accounts, and changes none.
    const alice = named(list, "alice")!;
    assert.deepEqual([alice.discovery_metadata.is_privileged, alice.discovery_metadata.changes], [true, []]);
    assert.equal(named(list, "carol")?.missing_since, null);
    assert.equal(named(list, "bob")?.status, "pending_approval");
  });
});
