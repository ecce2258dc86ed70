// Cosignatures of witnesses (C2SP tlog-cosignature): a third party has seen the checkpoint extend all earlier ones.
import { signTextWithTime, timesSignedBy } from "./checkpoint.ts";
import { SIGNATURE_TYPES, formatNote, keyId, parseNote } from "./signed-note.ts";
import type { NoteSigner, NoteVerifier } from "./signed-note.ts";

/** `<name>+<key id>+<base64 of type 0x04 and public key>`: the key for verifying a witness's cosignatures. */
export function encodeWitnessKey(witness: NoteVerifier): string {
  const type = SIGNATURE_TYPES.timestamped;
  const key = Buffer.concat([Buffer.from([type]), witness.publicKey]).toString("base64");
  return `${witness.name}+${keyId(witness, type).toString("hex")}+${key}`;
}

/** Reads a witness's key; null when it is not an Ed25519 cosignature key, or its key id does not match. */
export function parseWitnessKey(text: string): NoteVerifier | null {
  const [, name, id, base64 = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? [];
  const key = Buffer.from(base64, "base64");
  if (name === undefined || key.toString("base64") !== base64) return null;
  if (key.length !== 33 || key[0] !== SIGNATURE_TYPES.timestamped) return null;
  const witness = { name, publicKey: key.subarray(1) };
  return keyId(witness, SIGNATURE_TYPES.timestamped).toString("hex") === id ? witness : null;
}

/** The line that a witness adds to a checkpoint, with its newline. Null when the checkpoint is not a signed note. */
export function cosign(checkpoint: string, witness: NoteSigner, at: Date): string | null {
  const note = parseNote(checkpoint);
  if (note === null) return null;
  const signed = formatNote({ text: note.text, signatures: [signTextWithTime(note.text, witness, at)] });
  return signed.slice(note.text.length + 1);
}

/** When the witness cosigned this checkpoint (the latest of several times); null without a valid cosignature. */
export function cosignedAt(checkpoint: string, witness: NoteVerifier): Date | null {
  const note = parseNote(checkpoint);
  const times = note === null ? [] : timesSignedBy(note, witness);
  if (times.includes(null)) return null;
  return times.reduce((latest, at) => (latest === null || (at !== null && at > latest) ? at : latest), null);
}

/** Splits a text of several consecutive notes, such as a published file of checkpoints. */
export function splitNotes(text: string): string[] {
  const notes: string[][] = [];
  let isInSignatures = true;
  for (const line of text.split("\n")) {
    const isSignature = line.startsWith("— ");
    // Text after the signatures starts the next note, however many empty lines are between them.
    if (isInSignatures && !isSignature) {
      if (line === "") continue;
      notes.push([]);
    }
    isInSignatures = isSignature;
    notes.at(-1)?.push(line);
  }
  return notes.map((lines) => `${lines.join("\n")}\n`);
}
