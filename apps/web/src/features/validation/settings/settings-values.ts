// Values of the dashboard settings dialog (VAL-47, VAL-48).

export const WIDGETS = [
  { name: "health", label: "Health cards" },
  { name: "trend", label: "Validation Trend" },
  { name: "distribution", label: "Status Distribution" },
  { name: "systems", label: "System Health Matrix" },
  { name: "jit", label: "JIT Account Health" },
  { name: "failures", label: "Latest Failures" },
  { name: "events", label: "Live Events" },
] as const;
export type Widget = (typeof WIDGETS)[number]["name"];

/** An empty selection shows every widget. */
export const isShown = (visible: readonly string[]) => (widget: Widget) =>
  visible.length === 0 || visible.includes(widget);

/** Milliseconds. */
const INTERVALS = [10_000, 30_000, 60_000, 300_000];

const intervalLabel = (ms: number): string => {
  if (ms < 60_000) return `${ms / 1000} seconds`;
  return ms === 60_000 ? "1 minute" : `${ms / 60_000} minutes`;
};

/** The offered intervals, plus the stored one if it differs. */
export const intervalChoices = (stored: number) =>
  [...new Set([...INTERVALS, stored])]
    .sort((a, b) => a - b)
    .map((ms) => ({ value: String(ms), label: intervalLabel(ms) }));
