// A fake Cisco IOS device over SSH: its prompts, its two modes, users with privilege levels, type 9 secrets. Written
// from the manuals. Does not prove: a real device's banners, paging, AAA servers, slow flash, different firmware.
import { generateKeyPairSync, scryptSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import ssh2, { type Connection, type ServerChannel } from "ssh2";

export interface FakeIos {
  host: string;
  port: number;
  /** `secret` is in clear text; the device stores it as it receives it. */
  setUser(name: string, secret: string, level?: 1 | 15): void;
  /** Whether this user can log in with that password now. */
  accepts(name: string, secret: string): boolean;
  /** Every line that was typed. */
  typed(): readonly string[];
  /** How often the configuration was saved. */
  saved(): number;
  /** Replaces the device's own answer to the next line that starts with `command`. */
  answerOnce(command: string, answer: (channel: ServerChannel) => void): void;
  stop(): Promise<void>;
}

interface User {
  level: 1 | 15;
  matches: (password: string) => boolean;
}

export async function startFakeIos(): Promise<FakeIos> {
  const users = new Map<string, User>();
  const state = {
    typed: [] as string[],
    saved: 0,
    once: null as { command: string; answer: (channel: ServerChannel) => void } | null,
  };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const hostKey = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const connections = new Set<Connection>();

  const obey = (line: string, mode: "exec" | "config", channel: ServerChannel): string => {
    const [, name = "", hash = ""] = /^username (\S+) secret 9 (\$9\$\S+)$/.exec(line) ?? [];
    if (line === "configure terminal" && mode === "exec")
      return "Enter configuration commands, one per line.  End with CNTL/Z.\r\n";
    if (line === "write memory" && mode === "exec") {
      state.saved += 1;
      return "Building configuration...\r\n[OK]\r\n";
    }
    if (line === "end" || line === "") return "";
    if (line === "exit") channel.end();
    if (mode !== "config" || name === "")
      return "                    ^\r\n% Invalid input detected at '^' marker.\r\n\r\n";
    users.set(name, { level: users.get(name)?.level ?? 1, matches: (password) => isType9(password, hash) });
    return "";
  };

  const serve = (channel: ServerChannel, level: 1 | 15) => {
    let mode: "exec" | "config" = "exec";
    let line = "";
    const prompt = () => channel.write(level === 1 ? "sw1>" : mode === "config" ? "sw1(config)#" : "sw1#");
    const enter = () => {
      state.typed.push(line);
      const own = state.once;
      if (own !== null && line.startsWith(own.command)) {
        state.once = null;
        own.answer(channel);
      } else {
        channel.write(
          level === 1 && line !== "" ? "% Invalid input detected at '^' marker.\r\n" : obey(line, mode, channel),
        );
        if (level === 15 && line === "configure terminal") mode = "config";
        if (line === "end") mode = "exec";
        prompt();
      }
      line = "";
    };
    channel.on("data", (chunk: Buffer) => {
      for (const letter of chunk.toString()) {
        channel.write(letter === "\r" ? "\r\n" : letter);
        if (letter === "\r") enter();
        else line += letter;
      }
    });
    channel.write("\r\nAuthorised access only. The word Password: in a banner asks for nothing.\r\n\r\n");
    prompt();
  };

  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    connections.add(client);
    let level: 1 | 15 = 1;
    client.on("error", () => {});
    client.on("close", () => connections.delete(client));
    client.on("authentication", (context) => {
      const user = users.get(context.username);
      if (context.method !== "password" || user?.matches(context.password) !== true) {
        context.reject(["password"]);
        return;
      }
      level = user.level;
      context.accept();
    });
    client.on("session", (accept) => {
      const session = accept();
      session.on("pty", (accept) => accept?.());
      session.on("shell", (accept) => serve(accept(), level));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    setUser: (name, secret, level = 15) => users.set(name, { level, matches: (password) => password === secret }),
    accepts: (name, secret) => users.get(name)?.matches(secret) === true,
    typed: () => state.typed,
    saved: () => state.saved,
    answerOnce: (command, answer) => (state.once = { command, answer }),
    stop: async () => {
      for (const client of connections) client.end();
      server.close();
      await once(server, "close");
    },
  };
}

/** Independent of the connector's own code: scrypt (16384, 1, 1) in Cisco's alphabet order. */
function isType9(password: string, hash: string): boolean {
  const [, , salt = "", digest = ""] = hash.split("$");
  const cisco = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const bits = [...digest].map((letter) => cisco.indexOf(letter).toString(2).padStart(6, "0")).join("");
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return scryptSync(password, salt, 32, { N: 16_384, r: 1, p: 1 }).equals(Buffer.from(bytes));
}
