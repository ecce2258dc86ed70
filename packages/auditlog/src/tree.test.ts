import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { aNodeStore } from "../testing/sample-log.ts";
import { mth, path, proof } from "../testing/rfc9162.ts";
import { consistencyProof, frontierAt, inclusionProof, verifyConsistency, verifyInclusion } from "./proofs.ts";
import { EMPTY_FRONTIER, appendLeaves, leafHash, rootHash } from "./tree.ts";

const hex = (text: string) => Buffer.from(text, "hex");

/** The reference vectors of Certificate Transparency: eight entries, ... */
const ENTRIES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map(hex);

/** ... the hashes of all complete subtrees, by level, ... */
const NODES = [
  [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7",
    "07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7",
    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658",
    "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
    "46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1",
  ],
  [
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
  ],
  [
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
  ],
  ["5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"],
];

/** ... the roots of the trees of 0 to 8 entries, ... */
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
].map(hex);

/** ... inclusion proofs, the leaf counted from 0, ... */
const INCLUSION = [
  { index: 0, size: 1, nodes: [] },
  { index: 0, size: 8, nodes: [NODES[0]![1]!, NODES[1]![1]!, NODES[2]![1]!] },
  { index: 5, size: 8, nodes: [NODES[0]![4]!, NODES[1]![3]!, NODES[2]![0]!] },
  { index: 2, size: 3, nodes: [NODES[1]![0]!] },
  { index: 1, size: 5, nodes: [NODES[0]![0]!, NODES[1]![1]!, NODES[0]![4]!] },
].map(({ nodes, ...claim }) => ({ ...claim, proof: nodes.map(hex) }));

/** ... and consistency proofs. */
const CONSISTENCY = [
  { earlier: 1, size: 1, nodes: [] },
  { earlier: 1, size: 8, nodes: [NODES[0]![1]!, NODES[1]![1]!, NODES[2]![1]!] },
  { earlier: 6, size: 8, nodes: [NODES[1]![2]!, NODES[1]![3]!, NODES[2]![0]!] },
  { earlier: 2, size: 5, nodes: [NODES[1]![1]!, NODES[0]![4]!] },
  { earlier: 6, size: 7, nodes: [NODES[1]![2]!, NODES[0]![6]!, NODES[2]![0]!] },
].map(({ nodes, ...claim }) => ({ ...claim, proof: nodes.map(hex) }));

function storeOf(entries: readonly Buffer[]) {
  const store = aNodeStore();
  const frontier = store.append(entries.map((entry) => leafHash(entry)));
  return { ...store, frontier };
}

describe("Merkle tree (RFC 9162), published vectors", () => {
  it("has the root of each size, however the leaves are batched", () => {
    for (let size = 0; size <= 8; size++) {
      for (let first = 0; first <= size; first++) {
        const half = appendLeaves(EMPTY_FRONTIER, ENTRIES.slice(0, first).map(leafHash)).frontier;
        const whole = appendLeaves(half, ENTRIES.slice(first, size).map(leafHash)).frontier;
        assert.deepEqual(rootHash(whole), ROOTS[size]);
      }
    }
  });

  it("returns every complete subtree once, for storage", () => {
    const { nodes } = appendLeaves(EMPTY_FRONTIER, ENTRIES.map(leafHash));
    const got = nodes.map(({ level, index, hash }) => `${level}/${index} ${hash.toString("hex")}`);
    const expected = NODES.flatMap((hashes, level) =>
      level === 0 ? [] : hashes.map((hash, index) => `${level}/${index} ${hash}`),
    );
    assert.deepEqual(got.toSorted(), expected.toSorted());
  });

  it("generates and verifies the inclusion proofs", async () => {
    const { readNodes } = storeOf(ENTRIES);
    for (const { index, size, proof: expected } of INCLUSION) {
      assert.deepEqual(await inclusionProof(readNodes, index, size), expected);
      const leaf = leafHash(ENTRIES[index]!);
      assert.equal(verifyInclusion({ index, size, leaf, proof: expected, root: ROOTS[size]! }), true);
    }
  });

  it("generates and verifies the consistency proofs", async () => {
    const { readNodes } = storeOf(ENTRIES);
    for (const { earlier, size, proof: expected } of CONSISTENCY) {
      assert.deepEqual(await consistencyProof(readNodes, earlier, size), expected);
      const claim = { earlier, size, earlierRoot: ROOTS[earlier]!, root: ROOTS[size]!, proof: expected };
      assert.equal(verifyConsistency(claim), true);
    }
  });

  it("rejects the inclusion proofs after any change", () => {
    for (const { index, size, proof: right } of INCLUSION) {
      const leaf = leafHash(ENTRIES[index]!);
      const root = ROOTS[size]!;
      const claim = { index, size, leaf, proof: right, root };
      const wrong = [
        { ...claim, index: index - 1 },
        { ...claim, index: index + 1 },
        { ...claim, index: index ^ 2 },
        { ...claim, size: size * 2 },
        { ...claim, size: Math.floor(size / 2) },
        { ...claim, leaf: Buffer.from("wrong leaf") },
        { ...claim, leaf: ROOTS[0]! },
        { ...claim, root: ROOTS[0]! },
        { ...claim, root: Buffer.alloc(0) },
        ...spoiledProofs(right, [root]).map((spoiled) => ({ ...claim, proof: spoiled })),
      ];
      for (const one of wrong) assert.equal(verifyInclusion(one), false, JSON.stringify(one));
    }
  });

  it("rejects the consistency proofs after any change", () => {
    for (const { earlier, size, proof: right } of CONSISTENCY.filter((claim) => claim.proof.length > 0)) {
      const [earlierRoot, root] = [ROOTS[earlier]!, ROOTS[size]!];
      const claim = { earlier, size, earlierRoot, root, proof: right };
      const wrong = [
        { ...claim, earlier: earlier - 1 },
        { ...claim, earlier: earlier + 1 },
        { ...claim, earlier: earlier ^ 2 },
        { ...claim, size: size * 2 },
        { ...claim, size: Math.floor(size / 2) },
        { ...claim, earlierRoot: Buffer.from("wrong root") },
        { ...claim, root: Buffer.from("wrong root") },
        { ...claim, earlierRoot: root, root: earlierRoot },
        ...spoiledProofs(right, [root, earlierRoot, right[0]!]).map((spoiled) => ({ ...claim, proof: spoiled })),
      ];
      for (const one of wrong) assert.equal(verifyConsistency(one), false, JSON.stringify(one));
    }
  });

  it("accepts trivially consistent trees without a proof, and rejects a proof there", () => {
    const [none, one] = [ROOTS[0]!, ROOTS[1]!];
    const claims: [boolean, number, number, Buffer, Buffer, Buffer[]][] = [
      [true, 0, 0, none, none, []],
      [true, 0, 1, none, one, []],
      [true, 1, 1, one, one, []],
      [false, 1, 0, one, none, []],
      [false, 2, 1, ROOTS[2]!, one, []],
      [false, 1, 2, one, ROOTS[2]!, []],
      [false, 0, 0, none, one, []],
      [false, 1, 1, none, one, []],
      [false, 0, 1, one, one, []],
      [false, 0, 0, none, none, [none]],
      [false, 0, 1, none, one, [one]],
      [false, 1, 1, one, one, [one]],
    ];
    for (const [expected, earlier, size, earlierRoot, root, given] of claims) {
      assert.equal(verifyConsistency({ earlier, size, earlierRoot, root, proof: given }), expected);
    }
  });
});

describe("Merkle tree (RFC 9162), against the text of the RFC", () => {
  const aTree = fc.array(fc.uint8Array({ maxLength: 4 }), { minLength: 1, maxLength: 70 });

  it("has the same root at any size", () => {
    fc.assert(
      fc.property(aTree, (bytes) => {
        const entries = bytes.map((b) => Buffer.from(b));
        assert.deepEqual(rootHash(storeOf(entries).frontier), mth(entries));
      }),
    );
  });

  it("generates the same proofs, and they verify", async () => {
    await fc.assert(
      fc.asyncProperty(aTree, fc.nat(), fc.nat(), async (bytes, a, b) => {
        const entries = bytes.map((part, i) => Buffer.from([i, ...part]));
        const { readNodes } = storeOf(entries);
        const size = 1 + (a % entries.length);
        const part = entries.slice(0, size);
        const index = b % size;
        const included = await inclusionProof(readNodes, index, size);
        assert.deepEqual(included, path(index, part));
        const root = mth(part);
        assert.equal(verifyInclusion({ index, size, leaf: leafHash(part[index]!), proof: included, root }), true);

        const earlier = 1 + index;
        const consistent = await consistencyProof(readNodes, earlier, size);
        assert.deepEqual(consistent, earlier === size ? [] : proof(earlier, part));
        const earlierRoot = mth(part.slice(0, earlier));
        assert.equal(verifyConsistency({ earlier, size, earlierRoot, root, proof: consistent }), true);
      }),
    );
  });

  it("recovers the frontier of any earlier size from the stored nodes", async () => {
    const entries = Array.from({ length: 67 }, (_, i) => Buffer.from([i]));
    const { readNodes } = storeOf(entries);
    for (let size = 0; size <= 67; size++) {
      const frontier = await frontierAt(readNodes, size);
      assert.deepEqual(frontier, appendLeaves(EMPTY_FRONTIER, entries.slice(0, size).map(leafHash)).frontier);
    }
  });

  it("keeps one frontier hash for each 1 bit of the size, and rejects any other number", () => {
    const { frontier } = appendLeaves(
      EMPTY_FRONTIER,
      Array.from({ length: 1000 }, (_, i) => leafHash(Buffer.of(i % 256))),
    );
    assert.equal(frontier.hashes.length, (1000).toString(2).replaceAll("0", "").length);
    assert.throws(() => appendLeaves({ size: 3, hashes: [] }, [ROOTS[0]!]), RangeError);
    assert.throws(() => appendLeaves(EMPTY_FRONTIER, [Buffer.alloc(31)]), RangeError);
  });

  it("counts beyond 32 bits", () => {
    const size = 2 ** 40 + 1;
    const frontier = { size, hashes: [ROOTS[3]!, ROOTS[4]!] };
    const { nodes } = appendLeaves(frontier, [ROOTS[5]!]);
    assert.deepEqual(
      nodes.map(({ level, index }) => [level, index]),
      [[1, 2 ** 39]],
    );
  });

  it("throws for a proof of an absent leaf or tree", async () => {
    const { readNodes } = storeOf(ENTRIES);
    for (const [index, size] of [
      [8, 8],
      [-1, 8],
      [0.5, 8],
      [0, 0],
    ] as const) {
      await assert.rejects(inclusionProof(readNodes, index, size), RangeError);
    }
    await assert.rejects(consistencyProof(readNodes, 6, 3), RangeError);
  });

  it("reads only a few nodes of a large tree", async () => {
    let asked = 0;
    const readNodes = async (addresses: readonly unknown[]) => {
      asked += addresses.length;
      return addresses.map(() => ROOTS[0]!);
    };
    await inclusionProof(readNodes, 1_234_567, 9_999_999);
    await consistencyProof(readNodes, 1_234_567, 9_999_999);
    assert.ok(asked < 150, `asked for ${asked}`);
  });
});

/** A proof with garbage before and after it, a bit flipped, one hash fewer, or one hash inserted. */
function spoiledProofs(right: readonly Buffer[], others: readonly Buffer[]): Buffer[][] {
  const spoiled = [Buffer.alloc(0), ...others].flatMap((other) => [
    [other, ...right],
    [...right, other],
  ]);
  for (const [i, hash] of right.entries()) {
    const flipped = Buffer.from(hash);
    flipped[i % 32]! ^= 8;
    spoiled.push(right.with(i, flipped), right.toSpliced(i, 1), right.toSpliced(i, 0, ROOTS[0]!));
  }
  return spoiled;
}
