// Filters of text for search: a Bloom filter over the groups of three characters of each line. Pure.

const LARGEST_BITS = 2 ** 16;
const SMALLEST_BITS = 2 ** 10;
const HASHES = 4;
const GROUP = 3;

/** Text is compared in this form. */
export const folded = (text: string): string => text.toLowerCase();

/** Collects lines and returns the filter of all of them: 128 bytes to 8 kB, a power of two. */
export class TextFilter {
  readonly #bits = new Uint8Array(LARGEST_BITS / 8);

  add(line: string): void {
    const text = folded(line);
    for (let at = 0; at + GROUP <= text.length; at += 1) {
      let place = hashOf(text, at);
      const step = stepOf(place);
      for (let round = 0; round < HASHES; round += 1) {
        this.#bits[(place & (LARGEST_BITS - 1)) >>> 3]! |= 1 << (place & 7);
        place = (place + step) | 0;
      }
    }
  }

  /** The smallest filter of which at most half of the bits are set, or the largest one. */
  bytes(): Uint8Array {
    let bits: Uint8Array = this.#bits;
    while (bits.length > SMALLEST_BITS / 8) {
      const half = halved(bits);
      if (countSet(half) > half.length * 4) break;
      bits = half;
    }
    return Uint8Array.from(bits);
  }
}

/** Whether a line of the text may contain `wanted`. False is certain; true may be wrong. */
export function mayContain(filter: Uint8Array, wanted: string): boolean {
  const text = folded(wanted);
  // Positions refer to the largest filter. A smaller one uses only their lower bits.
  const last = filter.length * 8 - 1;
  for (let at = 0; at + GROUP <= text.length; at += 1) {
    let place = hashOf(text, at);
    const step = stepOf(place);
    for (let round = 0; round < HASHES; round += 1) {
      if ((filter[(place & last) >>> 3]! & (1 << (place & 7))) === 0) return false;
      place = (place + step) | 0;
    }
  }
  return true;
}

/** Mixes as MurmurHash3 does. Nothing secret depends on it: filters are sealed. */
function hashOf(text: string, at: number): number {
  const [one, two, three] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  let hash = Math.imul(one | (two << 16), 0xcc9e2d51) ^ Math.imul(three, 0x1b873593);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const stepOf = (hash: number): number => Math.imul(hash, 0x9e3779b1) | 1;

/** A position and the position half a filter later become one. */
function halved(bits: Uint8Array): Uint8Array {
  const length = bits.length / 2;
  return bits.subarray(0, length).map((byte, index) => byte | bits[length + index]!);
}

function countSet(bits: Uint8Array): number {
  let count = 0;
  for (let byte of bits) for (; byte !== 0; byte &= byte - 1) count += 1;
  return count;
}
