// Checks a recording file without trusting it: with digests from the audit trail, and with the key if there is one.
import { Gaps } from "./gaps.ts";
import { ChunkOpener } from "./open-chunk.ts";
import type { ChunkSeal } from "./ports.ts";
import { MIN_CHUNK_BYTES, headerDigest, readFileHeader, type FileHeader, type ReadChunk } from "./recording-format.ts";
import { chunksAre, Findings, timeOf, type RecordingDigest, type RecordingReport } from "./report.ts";
import { scanRecording, type Piece } from "./scan-recording.ts";

export interface VerifyRecordingOptions {
  /** Digests that the audit trail holds. Those of other recordings are ignored. */
  readonly digests?: readonly RecordingDigest[];
  /** Opens every chunk too. */
  readonly seal?: ChunkSeal;
}

/**
 * Reads the whole file in bounded memory and names what is missing or changed. `docs/recordings.md` says what the result
 * proves. Rejects only when `source` does.
 */
export async function verifyRecording(
  source: AsyncIterable<Uint8Array>,
  options: VerifyRecordingOptions = {},
): Promise<RecordingReport> {
  const check = new RecordingCheck(options);
  for await (const piece of scanRecording(source)) check.take(piece);
  return check.end();
}

/** The chunk with the highest number so far. */
interface LastChunk {
  readonly number: number;
  readonly to: number;
  readonly digest: Buffer;
  readonly isOpened: boolean;
}

class RecordingCheck {
  readonly #options: VerifyRecordingOptions;
  readonly #findings = new Findings();
  readonly #gaps = new Gaps();
  readonly #digests = new Map<number, Buffer[]>();
  #header: FileHeader | null = null;
  #headerDigest: Buffer = Buffer.alloc(0);
  #opener: ChunkOpener | null = null;
  #last: LastChunk | null = null;
  #damage: (Piece & { kind: "damage" }) | null = null;
  #closing: RecordingReport["closing"] = null;
  #chunks = 0;
  #outputBytes = 0;
  #isOpened: boolean;
  #provenTo: number | null = null;
  /** An earlier chunk is not the one that the digests prove, so later digests cannot match either. */
  #isBroken = false;
  /** The chunk that the digests named as changed. */
  #named: number | null = null;

  constructor(options: VerifyRecordingOptions) {
    this.#options = options;
    this.#isOpened = options.seal !== undefined;
  }

  take(piece: Piece): void {
    if (piece.kind === "header") this.#takeHeader(piece.bytes);
    else if (piece.kind === "damage") this.#damage = piece;
    else this.#takeChunk(piece.chunk);
  }

  end(): RecordingReport {
    this.#reportTail();
    this.#reportGaps();
    const { kept: findings, omitted } = this.#findings;
    return {
      isComplete: findings.length === 0,
      recording: this.#header?.recordingId ?? null,
      startedAt: this.#header?.startedAt ?? null,
      chunks: this.#chunks,
      outputBytes: this.#outputBytes,
      duration: this.#last?.to ?? 0,
      closing: this.#closing,
      provenTo: this.#provenTo,
      isOpened: this.#isOpened && this.#chunks > 0,
      findings,
      omitted,
    };
  }

  get #next(): number {
    return this.#last === null ? 0 : this.#last.number + 1;
  }

  #takeHeader(bytes: Buffer): void {
    const read = readFileHeader(bytes);
    this.#headerDigest = headerDigest(bytes);
    if (read.outcome !== "read") {
      const problem = {
        "other-format": "The file does not begin like a recording.",
        "other-version": "The file was written in a format this version does not know.",
        malformed: "The file's header was changed.",
      }[read.outcome];
      this.#findings.add("altered", null, null, problem);
      return;
    }
    this.#header = read.header;
    const { recordingId } = read.header;
    if (this.#options.seal !== undefined) this.#opener = new ChunkOpener(recordingId, this.#options.seal);
    for (const { recording, chunk, digest } of this.#options.digests ?? []) {
      if (recording === recordingId) this.#digests.set(chunk, [...(this.#digests.get(chunk) ?? []), digest]);
    }
  }

  #takeChunk(chunk: ReadChunk): void {
    const { number, from, to } = chunk.head;
    const span = { from, to };
    this.#chunks += 1;
    if (number < this.#next) this.#takeEarlier(chunk);
    else {
      if (this.#closing !== null) {
        this.#findings.add(
          "foreign",
          { from: number, to: number },
          span,
          `Chunk ${number} comes after the closing record.`,
        );
      }
      if (number > this.#next) this.#skip(chunk);
      else this.#reportForeign();
      const isOpened = this.#open(chunk);
      this.#checkLink(chunk, isOpened);
      this.#last = { number, to, digest: chunk.digest, isOpened };
      this.#checkDigests(chunk);
      this.#count(chunk);
    }
    this.#damage = null;
  }

  /** A chunk whose number was passed: out of order if it was missing, else a copy. */
  #takeEarlier(chunk: ReadChunk): void {
    const { number, from, to } = chunk.head;
    const span = { from, to };
    this.#reportForeign();
    const filled = this.#gaps.fill(chunk);
    if (filled === "not-missing") {
      this.#findings.add(
        "repeated",
        { from: number, to: number },
        span,
        `${chunksAre(number, number, span, "is")} repeated.`,
      );
      return;
    }
    this.#isOpened = false;
    const after = this.#next - 1;
    const problem = filled === "fits" ? "" : " It is not the chunk that its neighbours were written with.";
    this.#findings.add(
      filled === "fits" ? "reordered" : "altered",
      { from: number, to: number },
      span,
      `${chunksAre(number, number, span, "is")} out of place, after chunk ${after}.${problem}`,
    );
    this.#count(chunk);
  }

  /** The numbers up to `chunk` were not seen. They may come later. */
  #skip(chunk: ReadChunk): void {
    const left = this.#last === null ? this.#headerDigest : this.#last.digest;
    this.#gaps.add({
      from: this.#next,
      to: chunk.head.number - 1,
      span: { from: this.#last?.to ?? 0, to: chunk.head.from },
      left,
      right: chunk.head.previous,
      damage: this.#damage,
    });
  }

  #reportForeign(): void {
    if (this.#damage === null) return;
    const { offset, size } = this.#damage;
    this.#findings.add("foreign", null, null, `${size} bytes at offset ${offset} belong to no chunk.`);
  }

  /** Whether the key opened the chunk. */
  #open(chunk: ReadChunk): boolean {
    if (this.#opener === null) return false;
    const { number, from, to } = chunk.head;
    const opened = this.#opener.open(chunk);
    this.#isOpened &&= opened.outcome === "opened";
    const found = (message: string) =>
      this.#findings.add("altered", { from: number, to: number }, { from, to }, message);
    const name = chunksAre(number, number, { from, to }, "was");
    if (opened.outcome === "refused") found(`${name} changed, or sealed with another key: it does not open.`);
    if (opened.outcome === "unreadable") found(`${name} sealed with unreadable text: ${opened.problem}`);
    return opened.outcome !== "refused";
  }

  /** INVARIANT: each chunk names the digest of the chunk before it. */
  #checkLink({ head: { number, from, to, previous } }: ReadChunk, isOpened: boolean): void {
    if (number !== this.#next) return;
    const expected = this.#last === null ? this.#headerDigest : this.#last.digest;
    if (previous.equals(expected)) return;
    this.#isBroken = true;
    if (this.#last === null) {
      this.#findings.add("altered", { from: 0, to: 0 }, { from, to }, "The file's header or chunk 0 was changed.");
      return;
    }
    if (this.#named === this.#last.number) return;
    // A key names the changed chunk itself.
    if (this.#opener !== null && !(isOpened && this.#last.isOpened)) return;
    const name = `Chunk ${number - 1} or ${number} (up to ${timeOf(to)})`;
    this.#findings.add(
      "altered",
      { from: number - 1, to: number },
      { from: this.#last.to, to },
      `${name} was changed: they do not follow each other.`,
    );
  }

  #checkDigests({ head: { number, to }, digest }: ReadChunk): void {
    const held = this.#digests.get(number);
    if (held === undefined) return;
    this.#digests.delete(number);
    if (held.every((one) => one.equals(digest))) {
      if (!this.#isBroken && this.#gaps.isEmpty) this.#provenTo = number;
      return;
    }
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#named = number;
    const from = this.#provenTo === null ? 0 : this.#provenTo + 1;
    const where = from === number ? "" : ", or one between them";
    this.#findings.add(
      "altered",
      { from, to: number },
      { from: 0, to },
      `${chunksAre(from, number, null, "was")} changed${where}: the audit trail holds a different digest for chunk ${number}.`,
    );
  }

  #count({ head }: ReadChunk): void {
    if (head.kind === "events") {
      this.#outputBytes += head.outputBytes;
      return;
    }
    const { number, from, to, reason, unstoredBytes, outputBytes } = head;
    const [chunks, span] = [
      { from: number, to: number },
      { from, to },
    ];
    this.#closing = { reason, unstoredBytes };
    if (unstoredBytes > 0) {
      const lost = `Up to ${unstoredBytes} bytes of output before ${timeOf(to)} could not be stored`;
      this.#findings.add("unstored", chunks, span, `${lost}, as the closing record says.`);
    }
    if (this.#gaps.isEmpty && outputBytes !== this.#outputBytes) {
      const counts = `The closing record counts ${outputBytes} bytes of output, and the chunks hold ${this.#outputBytes}.`;
      this.#findings.add("altered", chunks, span, counts);
    }
  }

  #reportTail(): void {
    const next = this.#next;
    const end = this.#last?.to ?? 0;
    const rest = { from: end, to: null };
    const damage = this.#damage;
    // Space for the closing record, kept by the file store.
    const isReserve = damage !== null && damage.isBlank && damage.size <= MIN_CHUNK_BYTES && this.#closing === null;
    if (damage !== null && this.#closing !== null) this.#reportForeign();
    else if (damage !== null && !isReserve && this.#header !== null) {
      const what = `Chunk ${next} (from ${timeOf(end)}) is incomplete: it was changed, or writing it was interrupted.`;
      this.#findings.add("torn", { from: next, to: next }, rest, what);
    }
    const lastHeld = [...this.#digests.keys()].reduce((highest, chunk) => Math.max(highest, chunk), -1);
    if (lastHeld >= next) {
      const missing = `${chunksAre(next, lastHeld, rest, "is")} missing: the audit trail holds a digest of chunk ${lastHeld}.`;
      this.#findings.add("missing", { from: next, to: lastHeld }, rest, missing);
    }
    if (this.#closing !== null) return;
    this.#findings.add(
      "unclosed",
      { from: next, to: null },
      rest,
      `There is no closing record after ${timeOf(end)}. If the gateway stopped there, up to 1 s of output (256 kB) is missing.`,
    );
  }

  #reportGaps(): void {
    for (const { from, to, span, damage } of this.#gaps.all) {
      const name = chunksAre(from, to, span, "is");
      if (damage === null) this.#findings.add("missing", { from, to }, span, `${name} missing.`);
      else {
        const where = `${damage.size} bytes at offset ${damage.offset} are no whole chunk`;
        this.#findings.add("altered", { from, to }, span, `${name} changed: ${where}.`);
      }
    }
  }
}
