// Exports an evidence bundle: all entries about an access request, an account or a user, each with a proof, in one file
// that the offline verifier accepts. A bundle cannot prove that it is complete; only an export of the whole trail can.
import { MOST_EVIDENCE } from "@strongroom/contract";
import type { EvidenceSubject, exportEvidenceBundle } from "@strongroom/contract";
import { decodeEntry } from "@strongroom/auditlog";
import type { AuditEntry } from "@strongroom/auditlog";
import { Readable } from "node:stream";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Download } from "#kernel/http/stream.ts";
import { requireCheckpoint } from "../audit.ts";
import { findPlaced } from "./evidence.store.ts";
import type { PlacedLeaf, Wanted } from "./evidence.store.ts";
import { inPieces, writeEvidenceLines } from "./export-audit.ts";
import type { LogIdentity } from "../tree/signing-key.ts";

/** The requests of a user or for an account, the newest `limit`. */
export type RequestsAbout = (
  db: Db,
  subject: { type: "account" | "user"; id: string },
  limit: number,
) => Promise<string[]>;

/** The privileged sessions of a user, on an account or under a grant, the newest `limit`. */
export type SessionsAbout = (
  db: Db,
  subject: { type: EvidenceSubject; id: string },
  limit: number,
) => Promise<string[]>;

interface Subjects {
  requestsAbout: RequestsAbout;
  sessionsAbout: SessionsAbout;
}

/** Entries belong to a request for this long after its grant ends, because the password is rotated then. */
const AFTERMATH = 24 * 3_600_000;

/** Throws 404 if nothing is recorded, and 409 if the bundle would be too large or there is no proof yet. */
export async function exportBundle(
  call: Call<typeof exportEvidenceBundle>,
  db: Db,
  identity: LogIdentity,
  subjects: Subjects,
): Promise<Download> {
  const { about, id } = call.query;
  call.note({ target: { type: about, id }, details: { evidence: true } });
  const { newest } = await requireCheckpoint(db, identity);
  const wanted = await wantedFor(call, db, newest.size, subjects);
  const leaves = await findPlaced(db, wanted, newest.size, MOST_EVIDENCE);
  if (leaves.length === 0) throw nothing();
  if (leaves.length > MOST_EVIDENCE) throw tooMuch();
  const subject = { type: about, id };
  const lines = writeEvidenceLines(db, identity, newest, { about: subject, leaves });
  return {
    body: Readable.from(inPieces(lines), { objectMode: false }),
    fileName: `strongroom-evidence-${about}-${id}.jsonl`,
  };
}

async function wantedFor(
  { query }: Call<typeof exportEvidenceBundle>,
  db: Db,
  size: number,
  { requestsAbout, sessionsAbout }: Subjects,
): Promise<Wanted> {
  const { about, id } = query;
  const from = query.from === undefined ? null : new Date(query.from);
  const to = query.to === undefined ? null : new Date(query.to);
  const sessions = await sessionsAbout(db, { type: about, id }, MOST_EVIDENCE);
  const none: Wanted = { targets: [id], sessions, actorId: null, grants: [], during: null, from, to };
  if (about === "access-request") {
    const own = await findPlaced(db, none, size, MOST_EVIDENCE);
    return { ...none, grants: [id], during: duringOf(own) };
  }
  const requests = await requestsAbout(db, { type: about, id }, MOST_EVIDENCE);
  return { ...none, targets: [id, ...requests], grants: requests, actorId: about === "user" ? id : null };
}

/** The account's entries from the start of the request until its end and the password rotation. */
function duringOf(own: readonly PlacedLeaf[]): Wanted["during"] {
  const entries = own.map(({ canonical }) => read(canonical)).filter((entry) => entry !== null);
  const [first, last] = [entries[0], entries.at(-1)];
  const account = entries.map(({ details }) => details?.["account_id"]).find((each) => typeof each === "string");
  if (first === undefined || last === undefined || account === undefined) return null;
  return { target: account, from: new Date(first.at), to: new Date(Date.parse(last.at) + AFTERMATH) };
}

function read(canonical: Buffer): AuditEntry | null {
  try {
    return decodeEntry(canonical);
  } catch {
    return null; // The entry was overwritten, which the verifier reports.
  }
}

const nothing = () => refuse(404, "audit.nothing-on-record", "No audit entries about this");
const tooMuch = () =>
  refuse(
    409,
    "audit.too-much-evidence",
    `More than ${MOST_EVIDENCE.toLocaleString("en")} entries. Choose a shorter time range.`,
  );
