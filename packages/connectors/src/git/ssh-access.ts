// A Git server over SSH: one login, and a command for each repository.
import type { Client, ClientChannel } from "ssh2";
import type { Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { verified } from "../finding.ts";
import { textOf } from "../linux/files/channel.ts";
import { openSession, type Session } from "../linux/session.ts";
import { repositoriesOf } from "./repository.ts";
import type { GitSource } from "./source.ts";
import { startSshProxy } from "./ssh-proxy.ts";
import { isPacket, noCommands, openUpload, uploadFailure, type UploadAt } from "./ssh-upload.ts";

interface SshAccess {
  session: Session;
  repositories: readonly string[];
}

async function accessOf(target: Target, secret: string, current: Attempt): Promise<SshAccess | { failure: Failure }> {
  const repositories = repositoriesOf(target);
  if ("failure" in repositories) return repositories;
  const opened = await openSession(target, secret, current, { maxReceivedBytes: Infinity });
  return "failure" in opened ? opened : { session: opened.session, repositories: repositories.names };
}

export async function sshSource(
  target: Target,
  secret: string,
  current: Attempt,
): Promise<GitSource | { failure: Failure }> {
  const access = await accessOf(target, secret, current);
  if ("failure" in access) return access;
  const { client, where, login } = access.session;
  return {
    where,
    repositories: access.repositories,
    startProxy: (maxBytes) => startSshProxy({ client, where, repositories: access.repositories }, maxBytes),
    // SSH knows every reader.
    isPublic: () => Promise.resolve(false),
    facts: { hostKey: login.hostKey },
  };
}

export async function verifySsh(target: Target, secret: string, current: Attempt): Promise<Finding> {
  const access = await accessOf(target, secret, current);
  if ("failure" in access) return access.failure;
  const { client, where, login } = access.session;
  for (const repository of access.repositories) {
    current.waitFor(`${where} to send the branches of ${repository}`);
    const failure = await refsFailure(client, { where, repository });
    if (failure !== null) return failure;
  }
  const count = access.repositories.length;
  const message = `${where} accepted the login and sends ${count === 1 ? "the repository" : `${count} repositories`}.`;
  return verified(message, { hostKey: login.hostKey });
}

/** Null when the host sends the list of branches. */
async function refsFailure(client: Client, at: UploadAt): Promise<Failure | null> {
  const channel = await openUpload(client, at.repository);
  if (channel === null) return noCommands(at);
  const errors = textOf(channel.stderr);
  const first = await firstBytes(channel, 4);
  // A flush packet ends the conversation.
  if (isPacket(first)) channel.end("0000");
  channel.destroy();
  return isPacket(first) ? null : uploadFailure(await errors, at);
}

async function firstBytes(channel: ClientChannel, count: number): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const part of channel as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, part]);
    if (bytes.length >= count) break;
  }
  return bytes;
}
