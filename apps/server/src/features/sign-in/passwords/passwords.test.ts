// Tests of password hashes: the PHC format, the published vector, and the limit on concurrent hashes.
import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { HASH_PARAMETERS, createPasswords, createGate } from "./passwords.ts";
import { codeOf } from "../testing/attempts.ts";

const CHEAP = { memoryKiB: 256, passes: 1, lanes: 1 };

test("Node's argon2id returns the tag printed in RFC 9106 §5.3", () => {
  const tag = argon2Sync("argon2id", {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memory: 32,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  });
  assert.equal(tag.toString("hex"), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
});

test("a hash of the reference implementation verifies, so that hashes can be migrated", async () => {
  // printf 'password' | argon2 somesaltsomesalt -id -t 2 -m 8 -p 1 -l 32 -e
  const tag = argon2Sync("argon2id", {
    message: Buffer.from("password"),
    nonce: Buffer.from("somesaltsomesalt"),
    memory: 256,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  const b64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  const stored = `$argon2id$v=19$m=256,t=2,p=1$${b64(Buffer.from("somesaltsomesalt"))}$${b64(tag)}`;
  const passwords = createPasswords({ parameters: CHEAP });
  assert.equal(await passwords.verify(stored, "password"), true);
  assert.equal(await passwords.verify(stored, "Password"), false);
  assert.equal(passwords.isOutdated(stored), true);
});

test("a new hash is a PHC string with 64 MiB, three passes and one lane, and differs each time", async () => {
  assert.deepEqual(HASH_PARAMETERS, { memoryKiB: 65_536, passes: 3, lanes: 1 });
  const passwords = createPasswords();
  const hashes = await Promise.all([passwords.hash("one password"), passwords.hash("one password")]);
  for (const hash of hashes) {
    assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.equal(passwords.isOutdated(hash), false);
  }
  assert.notEqual(hashes[0], hashes[1]);
  assert.equal(await passwords.verify(hashes[0], "one password"), true);
});

test("without a stored hash every password is wrong, and the same work is done", async () => {
  let hashes = 0;
  const passwords = createPasswords({ parameters: CHEAP, onHash: () => (hashes += 1) });
  assert.equal(await passwords.verify(null, ""), false);
  assert.equal(await passwords.verify(null, "password"), false);
  assert.equal(hashes, 2);
});

test("a damaged hash causes an error and is not treated as a wrong password", async () => {
  const passwords = createPasswords({ parameters: CHEAP });
  const good = await passwords.hash("password");
  for (const damaged of ["", "plaintext", good.slice(0, -4), good.replace("argon2id", "argon2i"), `${good}AAAA`]) {
    await assert.rejects(passwords.verify(damaged, "password"), /malformed/);
  }
});

test("every character of a long password counts, including those after a NUL", async () => {
  const passwords = createPasswords({ parameters: CHEAP });
  const hash = await passwords.hash(`${"x".repeat(255)}1`);
  assert.equal(await passwords.verify(hash, `${"x".repeat(255)}2`), false);
  assert.equal(await passwords.verify(await passwords.hash("a\0b"), "a\0c"), false);
});

/** Work that stays unfinished until the test completes it. */
function heldWork() {
  const held: (() => void)[] = [];
  let running = 0;
  let most = 0;
  return {
    work: () =>
      new Promise<number>((resolve) => {
        running += 1;
        most = Math.max(most, running);
        held.push(() => {
          running -= 1;
          resolve(running);
        });
      }),
    endOne: () => held.shift()?.(),
    get running() {
      return running;
    },
    get most() {
      return most;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("two hashes run concurrently, more wait in order, and a call beyond the full queue is refused with Retry-After", async () => {
  const gate = createGate(2, 3);
  const held = heldWork();
  const ended: number[] = [];
  const calls = Array.from({ length: 5 }, (_, each) => gate(held.work).then(() => ended.push(each)));
  await assert.rejects(gate(held.work), (error: { status: number; extra: { retryAfter: number } }) => {
    assert.equal(codeOf({ body: error }), "sign-in.busy");
    assert.deepEqual([error.status, error.extra.retryAfter], [503, 5]);
    return true;
  });
  await settled();
  assert.equal(held.running, 2);
  for (let each = 0; each < 5; each++) {
    held.endOne();
    await settled();
  }
  await Promise.all(calls);
  assert.equal(held.most, 2);
  assert.deepEqual(ended, [0, 1, 2, 3, 4]);
});

test("queued work is skipped when its caller disconnects, and its slot becomes free", async () => {
  const gate = createGate(1, 2);
  const held = heldWork();
  const gone = new AbortController();
  const first = gate(held.work);
  const abandoned = assert.rejects(gate(held.work, gone.signal), { code: "request.abandoned" });
  const third = gate(held.work);
  gone.abort();
  held.endOne();
  await first;
  await abandoned;
  await settled();
  assert.equal(held.running, 1);
  held.endOne();
  await third;
});

test("failed work frees its slot too", async () => {
  const gate = createGate(1, 0);
  await assert.rejects(
    gate(() => Promise.reject(new Error("failed"))),
    /failed/,
  );
  assert.equal(await gate(async () => "done"), "done");
});
