// SSH clients in a separate process: busy and slow terminals, and a terminal whose keystrokes are timed.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientChannel } from "ssh2";

export interface SshLogin {
  host: string;
  port: number;
  username: string;
  password: string;
}

export type SshLoadWork =
  | { kind: "open"; login: SshLogin; sessions: number; linesPerSecond: number }
  | { kind: "close" }
  | { kind: "keystrokes"; login: SshLogin; count: number; gapMs: number };

/** Latencies in milliseconds, sorted; empty for work that measures nothing. The text is an error. */
export type SshLoadResult = number[] | string;

const TOGETHER = 4;
const open: Client[] = [];

/** On a machine under load, a login can exceed the servers' time limits. */
const MOST_TRIES = 3;

async function connect(login: SshLogin, tries = 1): Promise<Client> {
  try {
    return await connectOnce(login);
  } catch (error) {
    console.log(`login ${tries} at port ${login.port} failed: ${String(error)}`);
    if (tries >= MOST_TRIES) throw error;
    return connect(login, tries + 1);
  }
}

async function connectOnce(login: SshLogin): Promise<Client> {
  const client = new Client();
  client.on("error", () => {});
  const ready = Promise.withResolvers<void>();
  client.once("ready", ready.resolve);
  client.once("error", ready.reject);
  client.once("close", () => ready.reject(new Error("the connection was closed during the login")));
  client.connect({ ...login, readyTimeout: 60_000 });
  await ready.promise;
  client.setNoDelay(true);
  return client;
}

const run = (client: Client, command: string): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    const pty = { term: "xterm", cols: 120, rows: 40 };
    client.exec(command, { pty }, (error, channel) => (error === undefined ? resolve(channel) : reject(error)));
  });

/** One process that prints log lines at a steady pace, without forking. */
const printer = (linesPerSecond: number): string =>
  `exec perl -e '$|=1; my $n=0; while(1){ $n++; printf("%s \\e[32mINFO\\e[0m web[%d]: GET /api/v1/accounts 200 %d ms 10.0.%d.%d\\n", scalar(localtime), 4000+int(rand(8)), int(rand(90)), int(rand(4)), int(rand(250))); select(undef,undef,undef,${1 / linesPerSecond}); }'`;

/** Resolves with the first output. Rejects with the program's complaint when it ends without any. */
async function begun(client: Client, channel: ClientChannel, { port }: SshLogin): Promise<void> {
  let complaint = "";
  client.once("error", (error) => (complaint += ` ${String(error)}`));
  channel.once("exit", (...how: unknown[]) => (complaint += ` exit ${JSON.stringify(how)}`));
  channel.stderr.on("data", (bytes: Buffer) => (complaint += bytes.toString()));
  const closed = once(channel, "close").then(() => {
    throw new Error(`a terminal at port ${port} ended immediately: ${complaint.trim()}`);
  });
  await Promise.race([once(channel, "data"), closed]);
  closed.catch(() => {});
}

async function openTerminals({ login, sessions, linesPerSecond }: Extract<SshLoadWork, { kind: "open" }>) {
  let left = sessions;
  const openSome = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const client = await connect(login);
      open.push(client);
      const channel = await run(client, printer(linesPerSecond));
      await begun(client, channel, login);
      channel.resume();
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, openSome));
}

async function closeTerminals(): Promise<void> {
  const closed = open.splice(0).map(async (client) => {
    const end = once(client, "close");
    client.destroy();
    await end;
  });
  await Promise.all(closed);
}

/** The time from sending one byte until `cat` behind a terminal has sent it back. */
async function timeKeystrokes({ login, count, gapMs }: Extract<SshLoadWork, { kind: "keystrokes" }>) {
  const client = await connect(login);
  const channel = await run(client, "stty raw -echo; echo ready; exec cat");
  while (!String((await once(channel, "data"))[0]).includes("ready"));
  const times: number[] = [];
  for (let key = 0; key < count + 10; key += 1) {
    await delay(gapMs);
    const from = performance.now();
    const echoed = once(channel, "data");
    channel.write("k");
    await echoed;
    // The first ones warm up.
    if (key >= 10) times.push(performance.now() - from);
  }
  client.destroy();
  return times.toSorted((one, other) => one - other);
}

async function work(given: SshLoadWork): Promise<SshLoadResult> {
  if (given.kind === "keystrokes") return timeKeystrokes(given);
  await (given.kind === "open" ? openTerminals(given) : closeTerminals());
  return [];
}

process.on("message", (given: SshLoadWork) => {
  work(given).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.(`${given.kind}: ${String(error)}`),
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.([]);
