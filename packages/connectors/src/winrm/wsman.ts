// WS-Management messages (MS-WSMV): open a shell, run one command, send its input, and read its output.
import { randomUUID } from "node:crypto";

const SHELL = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd";
const ACTIONS = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell";
const TRANSFER = "http://schemas.xmlsoap.org/ws/2004/09/transfer";

/** Identify: needs a login, but no further permission. */
export const IDENTIFY = `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:wsmid="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd"><s:Header/><s:Body><wsmid:Identify/></s:Body></s:Envelope>`;

export const isIdentity = (body: string): boolean => /<(\w+:)?IdentifyResponse[\s>]/.test(body);

export function createShell(url: URL): string {
  const body = `<rsp:Shell><rsp:InputStreams>stdin</rsp:InputStreams><rsp:OutputStreams>stdout</rsp:OutputStreams><rsp:IdleTimeOut>PT60.000S</rsp:IdleTimeOut></rsp:Shell>`;
  return envelope(url, `${TRANSFER}/Create`, null, body, { WINRS_NOPROFILE: "TRUE", WINRS_CODEPAGE: "65001" });
}

/** `program` and `parameter` are fixed texts without any character that a shell interprets. */
export function runCommand(url: URL, shellId: string, program: string, parameters: string): string {
  const body = `<rsp:CommandLine><rsp:Command>${program}</rsp:Command><rsp:Arguments>${parameters}</rsp:Arguments></rsp:CommandLine>`;
  return envelope(url, `${ACTIONS}/Command`, shellId, body, {
    WINRS_CONSOLEMODE_STDIN: "FALSE",
    WINRS_SKIP_CMD_SHELL: "FALSE",
  });
}

export function sendInput(url: URL, shellId: string, commandId: string, input: string): string {
  const bytes = Buffer.from(input).toString("base64");
  const body = `<rsp:Send><rsp:Stream Name="stdin" CommandId="${commandId}" End="true">${bytes}</rsp:Stream></rsp:Send>`;
  return envelope(url, `${ACTIONS}/Send`, shellId, body);
}

export function receiveOutput(url: URL, shellId: string, commandId: string): string {
  const body = `<rsp:Receive><rsp:DesiredStream CommandId="${commandId}">stdout</rsp:DesiredStream></rsp:Receive>`;
  return envelope(url, `${ACTIONS}/Receive`, shellId, body);
}

export function deleteShell(url: URL, shellId: string): string {
  return envelope(url, `${TRANSFER}/Delete`, shellId, "");
}

function envelope(
  url: URL,
  action: string,
  shellId: string | null,
  body: string,
  options: Readonly<Record<string, string>> = {},
): string {
  const set = Object.entries(options).map(([name, value]) => `<w:Option Name="${name}">${value}</w:Option>`);
  const header = [
    `<a:To>${escaped(url.href)}</a:To>`,
    `<a:ReplyTo><a:Address s:mustUnderstand="true">http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</a:Address></a:ReplyTo>`,
    `<a:MessageID>uuid:${randomUUID()}</a:MessageID>`,
    `<a:Action s:mustUnderstand="true">${action}</a:Action>`,
    `<w:ResourceURI s:mustUnderstand="true">${SHELL}</w:ResourceURI>`,
    `<w:MaxEnvelopeSize s:mustUnderstand="true">153600</w:MaxEnvelopeSize>`,
    `<w:OperationTimeout>PT20S</w:OperationTimeout>`,
    ...(shellId === null ? [] : [`<w:SelectorSet><w:Selector Name="ShellId">${shellId}</w:Selector></w:SelectorSet>`]),
    ...(set.length === 0 ? [] : [`<w:OptionSet s:mustUnderstand="true">${set.join("")}</w:OptionSet>`]),
  ];
  const names = [
    `xmlns:s="http://www.w3.org/2003/05/soap-envelope"`,
    `xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"`,
    `xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd"`,
    `xmlns:rsp="${ACTIONS}"`,
  ];
  return `<s:Envelope ${names.join(" ")}><s:Header>${header.join("")}</s:Header><s:Body>${body}</s:Body></s:Envelope>`;
}

const ID = "[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}";

/** Null for an answer without a shell. */
export const shellIdIn = (body: string): string | null =>
  new RegExp(`<(?:\\w+:)?(?:ShellId|Selector Name="ShellId")>(${ID})<`).exec(body)?.[1] ?? null;

export const commandIdIn = (body: string): string | null =>
  new RegExp(`<(?:\\w+:)?CommandId>(${ID})<`).exec(body)?.[1] ?? null;

/** The command's output since the last request, and whether it has ended. */
export function outputIn(body: string): { text: string; isDone: boolean } {
  const streams = [
    ...body.matchAll(/<(?:\w+:)?Stream [^>]{0,300}Name="stdout"[^>]{0,300}>([A-Za-z0-9+/=\s]{0,100000})</g),
  ];
  const text = streams.map(([, bytes = ""]) => Buffer.from(bytes, "base64").toString()).join("");
  return { text, isDone: /CommandState [^>]{0,300}State="[^"]{0,200}CommandState\/Done"/.test(body) };
}

/** The code of a fault, such as 5 for access denied; null without a fault. */
export function faultIn(body: string): number | null {
  const code = /<(?:\w+:)?WSManFault [^>]{0,300}Code="(\d{1,10})"/.exec(body)?.[1];
  return code === undefined ? null : Number(code);
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
