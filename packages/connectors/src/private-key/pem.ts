// PEM text (RFC 7468): its blocks, in order.

export interface PemBlock {
  /** Such as `CERTIFICATE`. */
  label: string;
  /** The block with its first and last line. */
  pem: string;
  /** The text between the first and last line. */
  body: string;
}

/** Stops at a block without an end. Searches forwards only, so that hostile text takes linear time. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  const begin = /-----BEGIN ([A-Z0-9 ]{1,40})-----/g;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const [, label = ""] = match;
    const end = `-----END ${label}-----`;
    const bodyStart = begin.lastIndex;
    const at = text.indexOf(end, bodyStart);
    if (at === -1) break;
    begin.lastIndex = at + end.length;
    blocks.push({ label, pem: text.slice(match.index, begin.lastIndex), body: text.slice(bodyStart, at) });
  }
  return blocks;
}
