// The reference for reveals: a bare Fastify and pg server that verifies a token, selects one row, inserts one audit row in
// a transaction and decrypts AES-256-GCM. Nothing else: no sessions, no permissions, no tree.
import { fastify } from "fastify";
import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomUUID } from "node:crypto";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const key = createSecretKey(randomBytes(32));
const rows = Number(process.env.REFERENCE_ROWS ?? 1000);
const { publicKey, privateKey } = await generateKeyPair("EdDSA");

await pool.query(
  `create table reference_credentials (id uuid primary key, owner uuid not null, secret bytea not null)`,
);
await pool.query(`create table reference_audit (id uuid primary key, at timestamptz not null default now(), actor uuid not null,
  event text not null, target uuid not null, ip text)`);
const owner = randomUUID();
const ids = Array.from({ length: rows }, () => randomUUID());
await pool.query(
  `insert into reference_credentials select id, $2, secret from unnest($1::uuid[], $3::bytea[]) as t (id, secret)`,
  [ids, owner, ids.map((id) => seal(`secret of ${id}`))],
);

function seal(text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function open(sealed: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString("utf8");
}

const http = fastify();
http.post<{ Params: { id: string } }>("/reveal/:id", async (request, reply) => {
  const { payload } = await jwtVerify(request.headers.authorization?.slice(7) ?? "", publicKey);
  const client = await pool.connect();
  try {
    await client.query("begin");
    const found = await client.query({
      name: "reveal",
      text: "select secret from reference_credentials where id = $1 and owner = $2",
      values: [request.params.id, payload.sub],
    });
    if (found.rows.length === 0) return reply.code(404).send({ message: "not found" });
    await client.query({
      name: "audit",
      text: "insert into reference_audit (id, actor, event, target, ip) values ($1, $2, 'revealed', $3, $4)",
      values: [randomUUID(), payload.sub, request.params.id, request.ip],
    });
    await client.query("commit");
    return { value: open(found.rows[0].secret) };
  } finally {
    client.release();
  }
});
const url = await http.listen({ port: 0, host: "127.0.0.1" });
const token = await new SignJWT({})
  .setProtectedHeader({ alg: "EdDSA" })
  .setSubject(owner)
  .setExpirationTime("1h")
  .sign(privateKey);
process.send?.({ url, token, ids });
process.on("disconnect", () => process.exit(0));
