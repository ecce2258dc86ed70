// A client's messages in Oracle's two-task protocol: the two halves of its login, a change of its password, its
// statements.
import { fieldsOf, type Fields } from "./fields.ts";
import type { Release } from "./release.ts";

export interface LogIn {
  /** The user name as the client wrote it. */
  name: string;
  mode: number;
  pairs: Map<string, string>;
}

/** Type, call and a sequence number; newer clients add another number. */
const HEAD_BYTES = 3;

function afterHead(message: Buffer, { isFast }: Release): Fields {
  const fields = fieldsOf(message, HEAD_BYTES);
  if (isFast) fields.number();
  return fields;
}

/** Both halves of a login, and a change of the user's own password, have this form. */
export const logInIn = (message: Buffer, release: Release): LogIn => readLogIn(afterHead(message, release));

function readLogIn(fields: Fields): LogIn {
  fields.byte();
  fields.number();
  const mode = fields.number();
  fields.byte();
  const count = fields.number();
  fields.byte();
  fields.byte();
  return { name: fields.bytes().toString(), mode, pairs: fields.pairs(count) };
}

const FAST_HEAD_BYTES = 4;
const PROTOCOL_HEAD_BYTES = 3;
/** Between the client's name and its data types: character sets and a version. */
const CHARSETS_BYTES = 6;
const DATA_TYPES_HEAD_BYTES = 6;
const TIME_ZONE_BYTES = 11;
const DATA_TYPE_BYTES = 8;

/** The first half of a login, embedded after the earlier parts in one message. */
export function embeddedLogIn(message: Buffer): LogIn {
  const nameEnd = message.indexOf(0, FAST_HEAD_BYTES + PROTOCOL_HEAD_BYTES);
  let at = nameEnd + 1 + CHARSETS_BYTES + DATA_TYPES_HEAD_BYTES;
  at += 1 + message.readUInt8(at);
  const knowsTimeZone = message.readUInt8(at + 2) === 1;
  at += 1 + message.readUInt8(at) + (knowsTimeZone ? TIME_ZONE_BYTES : 0);
  while (message.readUInt16BE(at) !== 0) at += DATA_TYPE_BYTES;
  return readLogIn(fieldsOf(message, at + 2 + HEAD_BYTES));
}

/** The fields before the text of a statement: 1 is a byte, n a number. */
const BEFORE_TEXT = "nn1n1n111nn1n111111nn111n1nn1n11n1n11n";

export function statementIn(message: Buffer, release: Release): string {
  const fields = afterHead(message, release);
  for (const kind of BEFORE_TEXT) {
    if (kind === "n") fields.number();
    else fields.byte();
  }
  return fields.bytes().toString();
}
