// Passes on the conversations of the git program over SSH. Git speaks its own protocol to a port of this machine (`gitprotocol-pack`,
// "Git Transport"), whose first packet names the repository; the rest is the same as over SSH.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Client } from "ssh2";
import { textOf } from "../linux/files/channel.ts";
import { ProxyState } from "./proxy-state.ts";
import type { GitProxy } from "./source.ts";
import { isPacket, noCommands, openUpload, uploadFailure } from "./ssh-upload.ts";

interface SshServer {
  client: Client;
  where: string;
  repositories: readonly string[];
}

const LONGEST_REQUEST = 1_000;

export async function startSshProxy({ client, where, repositories }: SshServer, maxBytes: number): Promise<GitProxy> {
  const state = new ProxyState(maxBytes);

  async function pass(socket: Socket): Promise<void> {
    const repository = repositories[await indexIn(socket, state)];
    if (repository === undefined) return void socket.destroy();
    const channel = await openUpload(client, repository);
    if (channel === null) {
      state.fail(noCommands({ where, repository }));
      return void socket.destroy();
    }
    const errors = textOf(channel.stderr);
    socket.pipe(channel);
    socket.once("close", () => channel.destroy());
    let isBegun = false;
    const checked = async function* (parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const part of parts) {
        if (!isBegun && !isPacket(part)) break;
        isBegun = true;
        yield state.count(part);
      }
      if (!isBegun) state.fail(uploadFailure(await errors, { where, repository }));
    };
    await pipeline(channel, checked, socket);
  }

  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    socket.on("error", () => {});
    pass(socket).catch(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    protocol: "git",
    settings: [],
    urlOf: (repository) => `git://127.0.0.1:${port}/${state.token}/${repositories.indexOf(repository)}`,
    takeFailure: () => state.takeFailure(),
    close: () => {
      for (const socket of connections) socket.destroy();
      server.close();
    },
  };
}

/** The number of the repository in the first packet, or -1 for anything other than a fetch with the token. */
async function indexIn(socket: Socket, state: ProxyState): Promise<number> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const [part] = (await once(socket, "data")) as [Buffer];
    socket.pause();
    bytes = Buffer.concat([bytes, part]);
    if (bytes.length > LONGEST_REQUEST || (bytes.length >= 4 && !isPacket(bytes))) return -1;
    const length = Number.parseInt(bytes.toString("latin1", 0, 4), 16);
    if (bytes.length < 4 || bytes.length < length) {
      socket.resume();
      continue;
    }
    const [, given = "", index = ""] =
      /^git-upload-pack \/([0-9a-f]{64})\/(\d{1,3})\0/.exec(bytes.toString("latin1", 4, length)) ?? [];
    if (!state.isToken(given)) return -1;
    if (bytes.length > length) socket.unshift(bytes.subarray(length));
    return Number(index);
  }
}
