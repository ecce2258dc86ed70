// How long a token is still valid, as text and as a severity.
import type { ApiToken } from "@strongroom/contract";
import type { Tone } from "#shared/ui/tone.ts";

const DAY = 86_400_000;
const SOON_DAYS = 7;

export function endOf(
  { state, expires_at }: Pick<ApiToken, "state" | "expires_at">,
  now: number,
): {
  text: string;
  tone: Tone;
} {
  if (state === "revoked") return { text: "Revoked", tone: "neutral" };
  if (state === "suspended") return { text: "Suspended", tone: "warning" };
  const left = new Date(expires_at).getTime() - now;
  if (state === "expired" || left <= 0) return { text: "Expired", tone: "danger" };
  const days = Math.round(left / DAY);
  const text = left < DAY ? "Expires within a day" : days === 1 ? "1 day left" : `${days} days left`;
  return { text, tone: days < SOON_DAYS ? "warning" : "info" };
}
