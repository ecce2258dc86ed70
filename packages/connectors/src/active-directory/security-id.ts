// Security identifiers, as Windows writes them ([MS-DTYP] §2.4.2).

/** `S-1-5-21-…` of the binary form, which may have more behind it. Throws RangeError when there is too little. */
export function sidText(bytes: Buffer): string {
  const authority = bytes.readUIntBE(2, 6);
  const parts = Array.from({ length: bytes.readUInt8(1) }, (_, index) => bytes.readUInt32LE(8 + 4 * index));
  return ["S", bytes.readUInt8(0), authority, ...parts].join("-");
}

/** Every SID that the domain's own begins is the domain's; the last part counts within it (RID). */
export function ridOf(sid: string): number {
  return Number(sid.slice(sid.lastIndexOf("-") + 1));
}
