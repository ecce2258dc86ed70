// A fake WinRM service over HTTPS with Basic: shells, a command, its input and output; it recognises our scripts by the
// methods they invoke. Does not prove: Windows itself, PowerShell, whether the scripts work there, its faults and
// limits.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ServerCertificate } from "../certificates.ts";

interface Account {
  password: string;
  isAdministrator: boolean;
}

export interface FakeWinrm {
  host: string;
  port: number;
  addAccount(name: string, password: string, isAdministrator?: boolean): void;
  /** The shells that are open. */
  shells(): number;
  /** Everything that was sent as a command line. */
  commandLines(): readonly string[];
  /** Replaces the output of the next script; null disconnects after it was executed. */
  sayOnce(output: string | null): void;
  stop(): Promise<void>;
}

interface Command {
  script: string;
  by: string;
  output: string | null;
}

export async function startFakeWinrm(certificate: ServerCertificate): Promise<FakeWinrm> {
  const accounts = new Map<string, Account>();
  const shells = new Set<string>();
  const commands = new Map<string, Command>();
  const commandLines: string[] = [];
  let planned: { output: string | null } | null = null;

  const answer = (body: string, by: string, response: ServerResponse): string => {
    const shellId = /Name="ShellId">([^<]+)</.exec(body)?.[1] ?? "";
    const commandId = /CommandId="([^"]+)"/.exec(body)?.[1] ?? "";
    const action = /<a:Action[^>]*>[^<]*\/(\w+)</.exec(body)?.[1] ?? "";
    if (body.includes("Identify"))
      return "<wsmid:IdentifyResponse><wsmid:ProductVendor>double</wsmid:ProductVendor></wsmid:IdentifyResponse>";
    if (action === "Create") {
      if (accounts.get(by)?.isAdministrator !== true && !by.startsWith("remote")) {
        response.statusCode = 500;
        return '<f:WSManFault xmlns:f="x" Code="5" Machine="fake"/>';
      }
      const id = randomUUID().toUpperCase();
      shells.add(id);
      return `<x:ResourceCreated><w:SelectorSet><w:Selector Name="ShellId">${id}</w:Selector></w:SelectorSet></x:ResourceCreated>`;
    }
    if (!shells.has(shellId)) return "<nothing/>";
    switch (action) {
      case "Command": {
        const line = /<rsp:Arguments>([^<]*)</.exec(body)?.[1] ?? "";
        commandLines.push(line);
        const id = randomUUID().toUpperCase();
        const script = Buffer.from(/-EncodedCommand (\S+)/.exec(line)?.[1] ?? "", "base64").toString("utf16le");
        commands.set(id, { script, by, output: null });
        return `<rsp:CommandResponse><rsp:CommandId>${id}</rsp:CommandId></rsp:CommandResponse>`;
      }
      case "Send": {
        const command = commands.get(commandId);
        const bytes = /<rsp:Stream [^>]*>([^<]*)</.exec(body)?.[1] ?? "";
        if (command === undefined) return "<nothing/>";
        const output = execute(command, Buffer.from(bytes, "base64").toString().trim(), accounts);
        command.output = planned?.output ?? output;
        if (planned?.output === null) response.destroy();
        planned = null;
        return "<rsp:SendResponse/>";
      }
      case "Receive": {
        const text = `noise of a profile\r\n${commands.get(commandId)?.output ?? ""}\r\n`;
        return `<rsp:ReceiveResponse><rsp:Stream Name="stdout" CommandId="${commandId}">${Buffer.from(text).toString("base64")}</rsp:Stream><rsp:CommandState CommandId="${commandId}" State="http://schemas.microsoft.com/wbem/wsman/1/windows/shell/CommandState/Done"/></rsp:ReceiveResponse>`;
      }
      case "Delete":
        shells.delete(shellId);
        return "<done/>";
      default:
        return "<nothing/>";
    }
  };

  const server = createServer(
    { cert: certificate.certificate, key: certificate.privateKey },
    (request: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const basic = Buffer.from(
          /^Basic (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "",
          "base64",
        ).toString();
        const [, name = "", password = ""] = /^([^:]*):(.*)$/s.exec(basic) ?? [];
        if (request.url !== "/wsman" || accounts.get(name)?.password !== password) {
          response.writeHead(401, { "www-authenticate": 'Basic realm="WSMAN"' }).end();
          return;
        }
        const content = answer(Buffer.concat(chunks).toString(), name, response);
        if (!response.destroyed) response.end(`<s:Envelope><s:Body>${content}</s:Body></s:Envelope>`);
      });
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    addAccount: (name, password, isAdministrator = false) => accounts.set(name, { password, isAdministrator }),
    shells: () => shells.size,
    commandLines: () => commandLines,
    sayOnce: (output) => (planned = { output }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The output of one of our scripts, and its effect on the accounts. */
function execute({ script, by }: Command, input: string, accounts: ReadonlyMap<string, Account>): string {
  const words = JSON.parse(Buffer.from(input, "base64").toString()) as Record<string, string>;
  const { name = "", old, new: candidate = "" } = words;
  const [account, isAdministrator] = [accounts.get(name), accounts.get(by)?.isAdministrator === true];
  const isOwn = script.includes("'ChangePassword'");
  if (!isOwn && !isAdministrator) return "STRONGROOM 80070005";
  if (script.includes("Get-LocalUser")) return `LIST ${listOf(accounts)}\r\nSTRONGROOM OK`;
  if (account === undefined) return "STRONGROOM 800708AD";
  if (script.includes("IsInRole")) return "STRONGROOM OK";
  if (isOwn && account.password !== old) return "STRONGROOM 80070056";
  if (candidate.length < 8) return "STRONGROOM 800708C5";
  account.password = candidate;
  return "STRONGROOM OK";
}

/** As PowerShell 5.1 writes it: a list of one member stays a list because of the script's comma. */
function listOf(accounts: ReadonlyMap<string, Account>): string {
  const names = [...accounts.keys()];
  const list = {
    h: "WIN1",
    a: names.map((n, number) => ({
      n,
      s: `S-1-5-21-1-2-3-${1000 + number}`,
      e: true,
      p: "2026-01-02T03:04:05Z",
      x: null,
      l: null,
      q: null,
    })),
    m: names.filter((n) => accounts.get(n)?.isAdministrator).map((n) => ({ n: `WIN1\\${n}`, c: "User" })),
    s: [
      ...names.slice(0, 1).map((n) => ({ n: "Backup", u: `.\\${n}`, w: "Auto" })),
      { n: "Reports", u: "CORP\\svc_reports", w: "Auto" },
      { n: "Spooler", u: "LocalSystem", w: "Auto" },
      { n: "Themes", u: "NT AUTHORITY\\LocalService", w: "Auto" },
    ],
    t: [
      ...names.slice(0, 1).map((n) => ({ n: "\\Nightly", u: n, w: "Ready" })),
      { n: "\\Mail", u: "svc_reports@corp.example", w: "Ready" },
      { n: "\\Managed", u: "CORP\\gmsa$", w: "Ready" },
    ],
    i: null,
  };
  return Buffer.from(JSON.stringify(list)).toString("base64");
}
