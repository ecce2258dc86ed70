// Dates of the forms for findings, in the local time zone.

/** `yyyy-mm-dd` of a moment. */
export function dateIn(moment: string): string {
  const at = new Date(moment);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** The last second of a date. */
export const endOfDate = (date: string): string => new Date(`${date}T23:59:59.000`).toISOString();

export const dateAfter = (days: number): string => dateIn(new Date(Date.now() + days * 86_400_000).toISOString());
