// An entry as a syslog message (RFC 5424): header, structured data, and a message of the caller's choice.
import { canonicalise } from "./canonical-json.ts";
import type { AuditEntry, AuditSeverity } from "./entry.ts";
import { severityOf } from "./severity.ts";
import { actorName } from "./logged.ts";
import type { LoggedEntry } from "./logged.ts";

/** RFC 5424 §6.2.1: 13 is "log audit". */
const FACILITY = 13;
/** Critical, error, warning, notice. */
const SEVERITIES: Record<AuditSeverity, number> = { critical: 2, high: 3, medium: 4, low: 5 };

/** 32473 is the enterprise number for examples (RFC 5612): this product has no number yet. */
const STRUCTURED_DATA = "strongroom@32473";

export interface SyslogSource {
  /** This machine's name. */
  readonly hostname: string;
  readonly processId?: number | undefined;
  /** The text after the structured data. Default: the whole entry as canonical JSON. */
  readonly message?: ((logged: LoggedEntry) => string) | undefined;
}

/**
 * One message, without the framing of a transport (RFC 5425, RFC 6587) and without a newline: no value in an entry can
 * start another line.
 */
export function syslogLine(logged: LoggedEntry, { hostname, processId, message }: SyslogSource): string {
  const { entry } = logged;
  const priority = FACILITY * 8 + SEVERITIES[severityOf(entry)];
  const source = [printable(hostname, 255), "strongroom", printable(String(processId ?? ""), 128)];
  const header = [`<${priority}>1`, entry.at, ...source, printable(entry.event, 32)].join(" ");
  const said = message === undefined ? canonicalise(entry) : message(logged);
  return `${header} ${dataOf(logged)} \u{feff}${oneLine(said)}`;
}

function dataOf({ entry, index }: LoggedEntry): string {
  const parameters = parametersOf(entry, index).filter(([, value]) => value !== undefined);
  const texts = parameters.map(([name, value]) => ` ${name}="${parameterText(String(value))}"`);
  return `[${STRUCTURED_DATA}${texts.join("")}]`;
}

function parametersOf(entry: AuditEntry, index: number | null): [string, string | number | undefined][] {
  const { id, event, result, actor, target, request, reason } = entry;
  return [
    ["id", id],
    ["event", event],
    ["result", result],
    ["severity", severityOf(entry)],
    ["actor", actorName(entry)],
    ["actorId", "id" in actor ? actor.id : undefined],
    ["targetType", target?.type],
    ["targetId", target?.id],
    ["targetName", target?.name],
    ["ip", request?.ip],
    ["requestId", request?.id],
    ["reason", reason],
    ["leafIndex", index ?? undefined],
  ];
}

/** RFC 5424 §6: header fields are printable ASCII without spaces, and `-` when empty. */
const printable = (text: string, most: number): string =>
  text.replaceAll(/[^\u0021-\u007e]/g, "").slice(0, most) || "-";

/** RFC 5424 §6.3.3. */
const parameterText = (text: string): string => oneLine(text).replaceAll(/["\\\]]/g, (found) => `\\${found}`);

/** Some receivers split at NEL, LS and PS too: none may start a second message. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ");
