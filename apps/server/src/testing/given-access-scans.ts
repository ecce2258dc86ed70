// Discovery targets and address ranges of the given-access world.
import { allowDiscoveryNetwork, createDiscoveryTarget, listDiscoveryNetworks } from "@strongroom/contract";
import type { Safe } from "@strongroom/contract";
import { anAccount } from "./accounts.ts";
import { must } from "./must.ts";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

interface Home {
  owner: TestPerson;
  home: Safe;
}

/** The login of a scan with an account that the owner may retrieve. */
export async function aScan({ owner, home }: Home, app: TestApp) {
  const login = { system_type: "Linux", connection_method: "SSH", hostname: "server1.example.com" } as const;
  const { id } = await anAccount(app, owner, home, login);
  return {
    name: "A target",
    description: null,
    targetType: "linux" as const,
    connectionMethod: "ssh" as const,
    hostname: "server1.example.com",
    credentialId: id,
    settings: { port: 22, timeout: 30_000 },
    schedule: null,
  };
}

export async function aScanTarget(world: Home, app: TestApp) {
  const body = await aScan(world, app);
  const { id } = await must(app, createDiscoveryTarget, { body: { ...body, safeId: world.home.id } }, world.owner);
  return { ...body, id };
}

export async function aRange({ owner, home }: Home, app: TestApp) {
  const { body } = await app.call(listDiscoveryNetworks, { as: owner.token });
  const network = "127.78.0.0/16";
  if (!body.data.some((allowed) => allowed.network === network))
    await must(app, allowDiscoveryNetwork, { body: { network } }, owner);
  return { name: "A range", safeId: home.id, ranges: ["127.78.0.1"], ports: [1] };
}
