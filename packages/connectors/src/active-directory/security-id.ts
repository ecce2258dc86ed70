// Windows security identifiers ([MS-DTYP] §2.4.2).

/** `S-1-5-21-…` from the binary form, which may be followed by other bytes. Throws RangeError when it is too short. */
export function sidText(bytes: Buffer): string {
  const authority = bytes.readUIntBE(2, 6);
  const parts = Array.from({ length: bytes.readUInt8(1) }, (_, index) => bytes.readUInt32LE(8 + 4 * index));
  return ["S", bytes.readUInt8(0), authority, ...parts].join("-");
}

/** SIDs of a domain's accounts start with the domain's SID; the last part (RID) is the number within it. */
export function ridOf(sid: string): number {
  return Number(sid.slice(sid.lastIndexOf("-") + 1));
}
