// The alarm for a critical failure on any page: a persistent toast, spoken if enabled (VAL-68, VAL-74).
import { readDashboardPreferences, readNotificationPreferences } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { queryOf } from "#shared/api/query.ts";
import type { ValidationEvent } from "#shared/events/validation-events.ts";
import { nameOr } from "#shared/notifications/fallbacks.ts";
import { toast } from "#shared/ui/toast.ts";
import { DEFAULT_ALERT_SETTINGS, alertSettings, type AlertSettings } from "../settings/alert-settings.ts";

/** VAL-74. */
const VOLUME = 0.3;
const RATE = 1.5;

/** OPEN-143: speaks the text of the toast, unless another text is still waiting to be spoken. */
function speak(text: string): void {
  const { speechSynthesis: voice } = globalThis as { speechSynthesis?: SpeechSynthesis };
  if (voice === undefined || voice.pending) return;
  const words = new SpeechSynthesisUtterance(text);
  words.volume = VOLUME;
  words.rate = RATE;
  voice.speak(words);
}

async function settingsOf(client: QueryClient): Promise<AlertSettings> {
  try {
    return alertSettings(
      await client.fetchQuery(queryOf(readDashboardPreferences, {}, { isBackground: true })),
      await client.fetchQuery(queryOf(readNotificationPreferences, {}, { isBackground: true })),
    );
  } catch {
    // Unreadable preferences must not suppress an alarm.
    return DEFAULT_ALERT_SETTINGS;
  }
}

/** Never throws. */
export async function announceCritical({ data }: ValidationEvent, client: QueryClient): Promise<void> {
  const { showsCritical, speaks } = await settingsOf(client);
  if (!showsCritical) return;
  const text = `CRITICAL: Validation failure for ${nameOr(data.account_name)}`;
  toast.error(text, { id: `critical-${data.account_id ?? "unknown"}`, duration: false, isCritical: true });
  if (speaks) speak(text);
}
