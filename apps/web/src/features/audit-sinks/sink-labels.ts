// Labels for audit sinks: kind, destination and state. Pure.
import type { AuditSink, AuditSinkFormat, AuditSinkKind } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import { duration } from "#shared/format/time.ts";
import type { Status } from "#shared/ui/status-badge.tsx";

export const KIND_LABELS: Record<AuditSinkKind, string> = {
  syslog: "Syslog",
  http: "Webhook",
  file: "File on the server",
  witness: "Witness",
};

export const FORMAT_LABELS: Record<AuditSinkFormat, string> = {
  json: "JSON, as in an export",
  rfc5424: "RFC 5424 structured data",
  cef: "CEF",
  ocsf: "OCSF",
};

/** `siem.example.com:6514 over TLS`. */
export function placeOf({ config }: Pick<AuditSink, "config">): string {
  switch (config.kind) {
    case "syslog":
      return `${config.host}:${config.port} ${config.transport === "tls" ? "over TLS" : "unencrypted"}`;
    case "file":
      return config.name;
    case "http":
    case "witness":
      return config.url.replace(/^https?:\/\//, "");
  }
}

const STATES: Record<AuditSink["status"]["state"], { status: Status; label: string }> = {
  current: { status: "verified", label: "Up to date" },
  behind: { status: "pending", label: "Catching up" },
  failing: { status: "failed", label: "Failing" },
  disabled: { status: "inactive", label: "Disabled" },
};

export const sinkState = ({ status }: Pick<AuditSink, "status">) => STATES[status.state];

/** `None`, `1,204 entries (2 minutes)`. */
export function behindOf({ status }: Pick<AuditSink, "status">): string {
  const { behind_entries: entries, behind_seconds: seconds } = status;
  if (entries === 0) return "None";
  const many = counted(entries, "entry", "entries");
  return seconds === 0 ? many : `${many} (${duration(seconds)})`;
}
