// Names of the write-ahead log files between the start and the end of a backup.

/**
 * The files from the one in the backup label to the one with the byte before `stop` ("2/1A0000F8"). Their
 * names are timeline, and the number of the segment in two parts, each as 8 hex digits.
 */
export function segmentsBetween(label: string, stop: string, segmentSize: bigint): string[] {
  const [, timeline, high, low] = /\(file ([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})\)/.exec(label) ?? [];
  const [, stopHigh, stopLow] = /^([0-9A-F]+)\/([0-9A-F]+)$/.exec(stop) ?? [];
  if (timeline === undefined || stopHigh === undefined) throw new Error("not a PostgreSQL write-ahead log name");
  const perHigh = 0x1_0000_0000n / segmentSize;
  const first = hex(high) * perHigh + hex(low);
  const last = ((hex(stopHigh) << 32n) + hex(stopLow) - 1n) / segmentSize;
  const names: string[] = [];
  for (let number = first; number <= last; number++) {
    names.push(timeline + digits(number / perHigh) + digits(number % perHigh));
  }
  return names;
}

const hex = (text: string | undefined): bigint => BigInt(`0x${text}`);
const digits = (number: bigint): string => number.toString(16).toUpperCase().padStart(8, "0");
