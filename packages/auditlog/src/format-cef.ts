// An entry in the Common Event Format (ArcSight, version 0): a header of seven fields and key=value pairs.
import { isIPv4 } from "node:net";
import { canonicalise } from "./canonical-json.ts";
import type { AuditEntry, AuditSeverity } from "./entry.ts";
import { severityOf } from "./severity.ts";
import { PRODUCT, VENDOR, actorName, sentenceOf } from "./logged.ts";
import type { LoggedEntry, Producer } from "./logged.ts";

/** The format's scale, 0 to 10. */
const SEVERITIES: Record<AuditSeverity, number> = { critical: 10, high: 8, medium: 5, low: 2 };

/** One line without its newline; no value in an entry can start another field or line. */
export function cefLine({ entry, index }: LoggedEntry, { version }: Producer): string {
  const { event } = entry;
  const header = [VENDOR, PRODUCT, version, event, nameOf(event), String(SEVERITIES[severityOf(entry)])];
  return `CEF:0|${header.map(headerText).join("|")}|${extensionOf(entry, index)}`;
}

function extensionOf(entry: AuditEntry, index: number | null): string {
  const { id, at, event, actor, target, result, reason, request, details } = entry;
  const person = "id" in actor ? actor : undefined;
  const isPerson = target?.type === "user";
  const pairs: [string, string | number | undefined][] = [
    ["rt", Date.parse(at)],
    ["externalId", id],
    ["cat", event.split(".")[0]],
    ["act", event],
    ["outcome", result],
    ["reason", reason],
    ["suser", actorName(entry)],
    ["suid", person?.id],
    ["spriv", person?.role],
    ["duser", isPerson ? target.name : undefined],
    ["duid", isPerson ? target.id : undefined],
    ...addressOf(request?.ip),
    ["requestClientApplication", request?.agent],
    ...labelled("cs1", "targetType", target?.type),
    ...labelled("cs2", "targetId", target?.id),
    ...labelled("cs3", "targetName", target?.name),
    ...labelled("cs4", "requestId", request?.id),
    ...labelled("cs5", "sessionId", person?.session),
    ...labelled("cs6", "details", details === undefined ? undefined : canonicalise(details)),
    ...labelled("cn1", "leafIndex", index ?? undefined),
    ["msg", sentenceOf(entry)],
  ];
  const given = pairs.filter((pair): pair is [string, string | number] => pair[1] !== undefined && pair[1] !== "");
  return given.map(([key, value]) => `${key}=${extensionText(String(value))}`).join(" ");
}

function addressOf(ip: string | undefined): [string, string | undefined][] {
  if (ip === undefined || isIPv4(ip)) return [["src", ip]];
  return labelled("c6a2", "Source IPv6 Address", ip);
}

function labelled<V extends string | number>(key: string, label: string, value: V | undefined): [string, V | string][] {
  return value === undefined
    ? []
    : ([
        [`${key}Label`, label],
        [key, value],
      ] as [string, V | string][]);
}

/** `credential.host-key-accepted` reads `credential host key accepted`. */
const nameOf = (event: string): string => event.replaceAll(/[.-]/g, " ");

/** Line endings (including U+0085, U+2028 and U+2029) and other control characters. */
const CONTROLS = /[^\P{Cc}\r\n]|[\u2028\u2029]/gu;

const headerText = (text: string): string =>
  text
    .replaceAll(CONTROLS, " ")
    .replaceAll(/[\r\n]/g, " ")
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|");

const extensionText = (text: string): string =>
  text
    .replaceAll(CONTROLS, " ")
    .replaceAll("\\", "\\\\")
    .replaceAll("=", "\\=")
    .replaceAll("\r", "\\r")
    .replaceAll("\n", "\\n");
