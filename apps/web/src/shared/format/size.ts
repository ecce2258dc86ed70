// Formats sizes in bytes.

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** "812 B", "4.2 MB", "1.3 GB": decimal units, as disk vendors use. */
export function inBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
