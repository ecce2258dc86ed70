// A safe with a manager, and the calls that tests of discovery share.
import {
  createDiscoveryTarget,
  listDiscoveredAccounts,
  readDiscoveryScan,
  startDiscoveryScan,
} from "@strongroom/contract";
import type { Account, DiscoveredAccount, DiscoveryScan, DiscoveryTarget, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

type NewTarget = NonNullable<InputOf<typeof createDiscoveryTarget>["body"]>;
type Settings = NonNullable<InputOf<typeof startDiscoveryScan>["body"]>["scanSettings"];
type Filter = NonNullable<InputOf<typeof listDiscoveredAccounts>["query"]>;

export const SSH = { system_type: "Linux", connection_method: "SSH" } as const;

export const byId = ({ id }: { id: string }) => ({ params: { id: id as never } });

export const named = (list: readonly DiscoveredAccount[], name: string) =>
  list.find((each) => each.account_name === name);

export async function aDiscoveryWorld(
  config: NonNullable<Parameters<typeof testApp>[0]>["config"] = {},
  existing?: TestApp,
) {
  const app = existing ?? (await testApp({ config }));
  const owner = await aPerson(app, "manager");
  const safe = await aSafe(app, owner);

  const linuxTarget = (
    account: Pick<Account, "id">,
    { host, port }: { host: string; port: number },
    more: Partial<NewTarget> = {},
  ): NewTarget => ({
    name: "A host",
    targetType: "linux",
    connectionMethod: "ssh",
    hostname: host,
    credentialId: account.id,
    safeId: safe.id,
    settings: { port, timeout: 30_000 },
    ...more,
  });

  async function aTarget(body: NewTarget, who = owner): Promise<DiscoveryTarget> {
    const made = await app.call(createDiscoveryTarget, { body, as: who.token });
    assert.equal(made.status, 201, made.text);
    return made.body;
  }

  const scan = (target: DiscoveryTarget, scanSettings: Settings = {}, who = owner) =>
    app.call(startDiscoveryScan, { ...byId(target), body: { scanSettings }, as: who.token });

  const ended = ({ id }: Pick<DiscoveryScan, "id">, who = owner): Promise<DiscoveryScan> =>
    eventually(async () => {
      const { body } = await app.call(readDiscoveryScan, { ...byId({ id }), as: who.token });
      return ["pending", "running"].includes(body.status) ? null : body;
    });

  return {
    app,
    owner,
    safe,
    linuxTarget,
    aTarget,
    scan,
    ended,
    /** Scans the target and waits for the end. */
    async scanned(target: DiscoveryTarget, settings: Settings = {}): Promise<DiscoveryScan> {
      const started = await scan(target, settings);
      assert.equal(started.status, 202, started.text);
      return ended(started.body);
    },
    async found(target: DiscoveryTarget, query: Filter = {}, who = owner): Promise<DiscoveredAccount[]> {
      const reply = await app.call(listDiscoveredAccounts, {
        query: { status: "all", targetId: target.id, limit: "500", ...query },
        as: who.token,
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data;
    },
    /** An account on a host that does not exist. */
    anyCredential: () => anAccount(app, owner, safe, { ...SSH, hostname: "scanned.example.com" }),
  };
}

export type DiscoveryWorld = Awaited<ReturnType<typeof aDiscoveryWorld>>;
