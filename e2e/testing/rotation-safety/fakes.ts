// Fakes for targets that cannot run here.
import {
  makeAuthority,
  startFakeAws,
  startFakeAzure,
  startFakeGoogleCloud,
  startFakeIos,
  startFakeMongodb,
  startFakeMssql,
  startFakeOracle,
  startFakeWinrm,
} from "@strongroom/connectors/testing";
import { randomBytes } from "node:crypto";
import type { AccountBody, Subject } from "./subject.ts";

const FAKE = "a fake";
const aSecret = () => randomBytes(12).toString("base64url");

export async function ios(): Promise<Subject> {
  const device = await startFakeIos();
  let count = 0;
  return {
    name: "Cisco IOS over SSH",
    version: FAKE,
    upstream: device,
    account: async () => {
      const username = `admin${count++}`;
      const value = aSecret();
      device.setUser(username, value);
      const additional_params = { protocol: "network-device", device: "cisco-ios" };
      return { type: "server", username, value, additional_params };
    },
    stop: () => device.stop(),
  };
}

export async function mongodb(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeMongodb(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { ca: authority.certificate };
  let count = 0;
  return {
    name: "MongoDB",
    version: FAKE,
    upstream: server,
    account: async () => {
      const [username, value] = [`user${count++}`, aSecret()];
      server.addUser(username, value);
      return { type: "mongodb", username, value, database_name: "admin", ssl_enabled: true, additional_params };
    },
    stop: () => server.stop(),
  };
}

export async function mssql(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeMssql(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { ca: authority.certificate };
  let count = 0;
  return {
    name: "SQL Server",
    version: FAKE,
    upstream: server,
    account: async () => {
      const [username, value] = [`login${count++}`, aSecret()];
      server.addLogin(username, value);
      return {
        type: "mssql",
        username,
        value,
        database_name: "master",
        schema_name: "dbo",
        ssl_enabled: true,
        additional_params,
      };
    },
    stop: () => server.stop(),
  };
}

export async function oracle(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeOracle(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { ca: authority.certificate };
  let count = 0;
  return {
    name: "Oracle Database",
    version: FAKE,
    upstream: server,
    account: async () => {
      const [username, value] = [`app${count++}`, aSecret()];
      server.addUser(username, value);
      return {
        type: "oracle",
        username,
        value,
        database_name: server.service,
        schema_name: username,
        ssl_enabled: true,
        additional_params,
      };
    },
    stop: () => server.stop(),
  };
}

export async function winrm(machines: readonly string[]): Promise<Subject> {
  const authority = await makeAuthority();
  const server = await startFakeWinrm(await authority.issue(["127.0.0.1", ...machines]));
  const additional_params = { protocol: "winrm", ca: authority.certificate };
  let count = 0;
  return {
    name: "Windows over WinRM",
    version: FAKE,
    upstream: server,
    account: async () => {
      const [username, value] = [`remote${count++}`, aSecret()];
      server.addAccount(username, value);
      return { type: "server", username, value, additional_params };
    },
    stop: () => server.stop(),
  };
}

export async function aws(machines: readonly string[]): Promise<Subject> {
  const server = await startFakeAws(machines);
  return {
    ...cloud("AWS IAM access key", server, (count) => {
      const username = `deployer${count}`;
      const { secret } = server.addUser(username);
      return { type: "application", username, value: secret, additional_params: server.params };
    }),
    remainingTask: afterLostAnswer(
      "the answer with the new key was lost: the old key stays active, and the user is notified which key to delete.",
    ),
  };
}

export async function azure(machines: readonly string[]): Promise<Subject> {
  const server = await startFakeAzure(machines);
  return {
    ...cloud("Azure client secret", server, (count) => {
      const { clientId, secrets } = server.addApplication(`deployer${count}`);
      const additional_params = { protocol: "azure", tenant: server.tenant, endpoint: server.origin, ca: server.ca };
      return { type: "application", username: clientId, value: secrets[0]!.text, additional_params };
    }),
    remainingTask: afterLostAnswer(
      "the answer with the new secret was lost: the old secret stays active, and the user is notified which secret to remove.",
    ),
  };
}

export async function googleCloud(machines: readonly string[]): Promise<Subject> {
  const server = await startFakeGoogleCloud(machines);
  return cloud("Google Cloud service account key", server, (count) => {
    // User names in the vault have at most 50 characters.
    const { email, secret } = server.addServiceAccount(`d${count}`);
    const additional_params = { protocol: "google-cloud", endpoint: server.origin, ca: server.ca };
    return { type: "application", username: email, value: secret, additional_params };
  });
}

type CloudServer = Subject["upstream"] & { stop(): Promise<void> };

/** A cloud whose connector chooses its address by a parameter and decides when to open and keep connections. */
function cloud(name: string, server: CloudServer, addAccount: (count: number) => AccountBody): Subject {
  let count = 0;
  return {
    name,
    version: FAKE,
    upstream: server,
    connections: [],
    through: (body, { host, port }) => ({
      additional_params: { ...body.additional_params, endpoint: `https://${host}:${port}` },
    }),
    account: async () => addAccount(count++),
    stop: () => server.stop(),
  };
}

const afterLostAnswer =
  (task: string): Subject["remainingTask"] =>
  ({ state, code }) =>
    state === "attention" && code === "refused" ? task : null;
