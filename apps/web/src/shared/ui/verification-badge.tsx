// Whether a stored secret works, with the same label, colour and icon on every screen.
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconPlugConnectedX,
  IconSettingsX,
  IconShieldExclamation,
  type Icon,
} from "@tabler/icons-react";
import {
  ABORTED,
  HOST_KEY_CHANGED,
  VERIFICATION_LABELS,
  VERIFICATION_MEANINGS,
  verificationStatusOf,
  type VerificationStatusFilter,
} from "@strongroom/contract";
import { Tag } from "./tag.tsx";
import type { Tone } from "./tone.ts";

const LOOKS: Record<VerificationStatusFilter, { tone: Tone; icon: Icon }> = {
  verified: { tone: "success", icon: IconCircleCheck },
  rejected: { tone: "danger", icon: IconCircleX },
  unreachable: { tone: "caution", icon: IconPlugConnectedX },
  misconfigured: { tone: "caution", icon: IconSettingsX },
  failed: { tone: "danger", icon: IconCircleX },
  pending: { tone: "warning", icon: IconCircleDashed },
  untested: { tone: "neutral", icon: IconCircleMinus },
};

/** Theme colours for bars and charts. */
export const VERIFICATION_COLORS: Record<VerificationStatusFilter, string> = {
  verified: "green.6",
  rejected: "red.6",
  unreachable: "orange.6",
  misconfigured: "violet.5",
  failed: "red.6",
  pending: "brass.5",
  untested: "gray.5",
};

/** "green.6" as a CSS variable. */
export const colorVariable = (color: string): string => `var(--mantine-color-${color.replace(".", "-")})`;

/** A status of a secret, or of one attempt on it. */
type StatusWord = Parameters<typeof verificationStatusOf>[0] | "aborted";

export const verificationLabel = (word: StatusWord): string =>
  word === "aborted" ? ABORTED.label : VERIFICATION_LABELS[verificationStatusOf(word)];

export interface VerificationBadgeProps {
  /** Any of the status names of all screens and calls. */
  status: StatusWord;
  /** The server presented a different host key from the pinned one. */
  isHostKeyChanged?: boolean;
}

export function VerificationBadge({ status: word, isHostKeyChanged = false }: VerificationBadgeProps) {
  if (isHostKeyChanged) {
    return (
      <Tag tone="danger" icon={<IconShieldExclamation size={13} aria-hidden />} title={HOST_KEY_CHANGED.meaning}>
        {HOST_KEY_CHANGED.label}
      </Tag>
    );
  }
  if (word === "aborted") {
    return (
      <Tag tone="neutral" icon={<IconAlertTriangle size={13} aria-hidden />} title={ABORTED.meaning}>
        {ABORTED.label}
      </Tag>
    );
  }
  const status = verificationStatusOf(word);
  const { tone, icon: StatusIcon } = LOOKS[status];
  return (
    <Tag tone={tone} icon={<StatusIcon size={13} aria-hidden />} title={VERIFICATION_MEANINGS[status]}>
      {VERIFICATION_LABELS[status]}
    </Tag>
  );
}
