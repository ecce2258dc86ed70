// Status badges with colour, icon and text: statuses (SHELL-36), audit results (SHELL-37) and severities.
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconClockX,
  type Icon,
} from "@tabler/icons-react";
import type { AuditResult } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import { Tag } from "./tag.tsx";
import type { Tone } from "./tone.ts";

export const STATUSES = ["verified", "failed", "pending", "expired", "active", "inactive"] as const;
export type Status = (typeof STATUSES)[number];

const LOOKS: Record<Status, { tone: Tone; icon: Icon }> = {
  verified: { tone: "success", icon: IconCircleCheck },
  failed: { tone: "danger", icon: IconCircleX },
  pending: { tone: "warning", icon: IconCircleDashed },
  expired: { tone: "danger", icon: IconClockX },
  active: { tone: "info", icon: IconCircleCheck },
  inactive: { tone: "neutral", icon: IconCircleMinus },
};

const ICON_SIZE = 13;

export interface StatusBadgeProps {
  status: Status;
  /** The text to show; defaults to the status. */
  label?: string;
}

export function StatusBadge({ status, label = capitalised(status) }: StatusBadgeProps) {
  const { tone, icon: StatusIcon } = LOOKS[status];
  return (
    <Tag tone={tone} icon={<StatusIcon size={ICON_SIZE} aria-hidden />}>
      {label}
    </Tag>
  );
}

/** The status badge of each audit result (SHELL-37). */
export const STATUS_OF_RESULT: Record<AuditResult, Status> = {
  success: "verified",
  failure: "failed",
  warning: "pending",
  info: "active",
};

/** An audit result in the colours of its status, with the result's own name. */
export function ResultBadge({ result }: { result: AuditResult }) {
  return <StatusBadge status={STATUS_OF_RESULT[result]} label={capitalised(result)} />;
}

export type Severity = "critical" | "high" | "medium" | "low";
const SEVERITY_TONES: Record<Severity, Tone> = {
  critical: "danger",
  high: "danger",
  medium: "warning",
  low: "neutral",
};

export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <Tag tone={SEVERITY_TONES[severity]} icon={<IconAlertTriangle size={ICON_SIZE} aria-hidden />}>
      {capitalised(severity)}
    </Tag>
  );
}
