// SCRAM-SHA-256 for MongoDB (RFC 5802, RFC 7677): both sides prove that they know the password without sending it.
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { BSON } from "mongodb";
import { NotMongodb, type Doc } from "./wire.ts";

/** With fewer rounds the password is easy to guess from the messages; more rounds take too long. */
const ROUNDS = { min: 4096, max: 200_000 };

const derive = promisify(pbkdf2);

/**
 * Resolves when the server has proved that it knows the password. Rejects with `ServerError` 18 for a wrong password.
 */
export async function logInByScram(
  ask: (command: Doc) => Promise<Doc>,
  credentials: { username: string; password: string; authSource: string },
): Promise<void> {
  const nonce = randomBytes(18).toString("base64");
  const bare = `n=${credentials.username.replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${nonce}`;
  const send = (command: Doc, text: string) =>
    ask({ ...command, payload: new BSON.Binary(Buffer.from(text)), $db: credentials.authSource });

  const start = { saslStart: 1, mechanism: "SCRAM-SHA-256", options: { skipEmptyExchange: true } };
  const first = await send(start, `n,,${bare}`);
  const challenge = textIn(first);
  const parts = /^r=([\x21-\x2b\x2d-\x7e]{1,200}),s=([A-Za-z0-9+/=]{8,200}),i=(\d{1,7})$/.exec(challenge);
  const [, both = "", salt = "", rounds = "0"] = parts ?? [];
  const isSane = Number(rounds) >= ROUNDS.min && Number(rounds) <= ROUNDS.max;
  if (!both.startsWith(nonce) || both.length <= nonce.length || !isSane) throw new NotMongodb();

  const prepared = credentials.password.normalize("NFKC");
  const salted = await derive(prepared, Buffer.from(salt, "base64"), Number(rounds), 32, "sha256");
  const without = `c=biws,r=${both}`;
  const message = `${bare},${challenge},${without}`;
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash("sha256").update(clientKey).digest(), message);
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))).toString("base64");

  const { conversationId } = first;
  const last = await send({ saslContinue: 1, conversationId }, `${without},p=${proof}`);
  const shown = Buffer.from(/^v=([A-Za-z0-9+/=]{1,100})/.exec(textIn(last))?.[1] ?? "", "base64");
  const expected = hmac(hmac(salted, "Server Key"), message);
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) throw new NotMongodb();
  if (last["done"] !== true) await send({ saslContinue: 1, conversationId }, "");
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

function textIn({ payload }: Doc): string {
  if (!(payload instanceof BSON.Binary)) throw new NotMongodb();
  return Buffer.from(payload.buffer.subarray(0, payload.position)).toString("latin1");
}
