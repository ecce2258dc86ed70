// The alarm of a critical failure, wherever the person is: a toast that stays, and a voice for those who want one (VAL-68, VAL-74).
import { readDashboardPreferences, readNotificationPreferences } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { queryOf } from "#shared/api/query.ts";
import type { ValidationEvent } from "#shared/events/validation-events.ts";
import { nameOr } from "#shared/notifications/fallbacks.ts";
import { toast } from "#shared/ui/toast.ts";
import { USUAL_SETTINGS, alertSettings, type AlertSettings } from "./alert-settings.ts";

/** VAL-74. */
const VOLUME = 0.3;
const RATE = 1.5;

/** OPEN-143: the toast's text. Not all at once: what is still to be said comes first. */
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
    // An alarm is not kept back because preferences could not be read.
    return USUAL_SETTINGS;
  }
}

/** Never throws. */
export async function announceCritical({ data }: ValidationEvent, client: QueryClient): Promise<void> {
  const { showsCritical, speaks } = await settingsOf(client);
  if (!showsCritical) return;
  const text = `CRITICAL: Validation failure for ${nameOr(data.account_name)}`;
  toast.error(text, { id: `critical-${data.account_id ?? "unknown"}`, duration: false });
  if (speaks) speak(text);
}
