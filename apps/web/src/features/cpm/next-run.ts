// The text for the next scheduled run on the CPM dashboard (CPM-15).

const MINUTE_MS = 60_000;

/**
 * "Starting soon" under 1 minute, "In 12m", "In 3h 5m"; null when no run is scheduled. Times in milliseconds since
 * 1970.
 */
export function nextRunLabel(nextRun: string | null, now: number): string | null {
  if (nextRun === null) return null;
  const minutes = Math.floor((new Date(nextRun).getTime() - now) / MINUTE_MS);
  if (minutes < 1) return "Starting soon";
  if (minutes < 60) return `In ${minutes}m`;
  return `In ${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
