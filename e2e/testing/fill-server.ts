// Fills a server with the content of the screenshots of `npm run pictures`: 10 users, 12 safes, accounts and access
// requests.
import {
  addSafeMember,
  createAccessRequest,
  createAccount,
  createCredential,
  createSafe,
  changeUserRole,
  listPlatforms,
} from "@strongroom/contract";
import type { Account, Safe } from "@strongroom/contract";
import { aUser, ask, tokenOf, userIdOf } from "./people.ts";
import type { Person } from "./people.ts";
import type { RunningServer } from "./server.ts";

const SAFES = [
  "Backup",
  "Build servers",
  "Cloud",
  "Databases",
  "Directory",
  "Finance",
  "Linux production",
  "Linux staging",
  "Network",
  "Payments",
  "Warehouse",
  "Windows",
];

const KINDS = [
  { system_type: "Linux", connection_method: "SSH", username: "root", host: "web" },
  { system_type: "Linux", connection_method: "SSH", username: "deploy", host: "build" },
  { system_type: "Windows", connection_method: "RDP", username: "Administrator", host: "win" },
  { system_type: "Network Device", connection_method: "SSH", username: "admin", host: "switch" },
] as const;

export interface World {
  safes: Safe[];
  accounts: Account[];
  users: Person[];
  token: string;
}

export async function fillServer(server: RunningServer, admin: Person, count: number): Promise<World> {
  const token = await tokenOf(server, admin);
  const users: Person[] = [];
  for (const name of ["bea", "carl", "dora", "emil", "fay", "gus", "hana", "ivan", "judy"])
    users.push(await aUser(server, `${name}@example.com`));
  const manager = userIdOf(await tokenOf(server, users[0]!));
  await ask(server.url, changeUserRole, { params: { id: manager }, body: { role: "manager" } }, token);

  const safes: Safe[] = [];
  for (const name of SAFES) safes.push(await ask(server.url, createSafe, { body: { name } }, token));
  const { platforms } = await ask(server.url, listPlatforms, {}, token);
  const accounts: Account[] = [];
  for (let number = 0; number < count; number += 1) {
    const { host, ...kind } = KINDS[number % KINDS.length]!;
    const platform = platforms.find(({ system_type }) => system_type === kind.system_type)!;
    const hostname = `${host}${1 + Math.floor(number / KINDS.length)}.example.com`;
    const body = {
      ...kind,
      name: `${kind.username} on ${hostname}`,
      hostname,
      platform_id: platform.id,
      safe_id: safes[number % safes.length]!.id,
      password: `password ${number}`,
    };
    accounts.push(await ask(server.url, createAccount, { body }, token));
  }
  const credential = { name: "Mail gateway", username: "ada", value: "a stored password" };
  await ask(server.url, createCredential, { body: credential }, token);
  const requester = await tokenOf(server, users[1]!);
  for (const { id } of safes.slice(0, 4)) {
    const body = { user_id: userIdOf(requester), role: "user" } as const;
    await ask(server.url, addSafeMember, { params: { id }, body }, token);
  }
  for (const { name, id } of accounts.slice(0, 4)) {
    const body = { resource: name, account_id: id, reason: "Install the kernel update", durationMinutes: 60 };
    await ask(server.url, createAccessRequest, { body }, requester);
  }
  return { safes, accounts, users, token };
}
