// The passphrase seal provider: stretches the root key out of a passphrase.
import { createHash, createSecretKey, randomBytes, timingSafeEqual, type KeyObject } from "node:crypto";
import { SealError } from "./errors.ts";
import { lengthPrefixed } from "./length-prefixed.ts";
import { argon2id, hkdfSha256, KEY_BYTES } from "./primitives.ts";
import { RootKey } from "./root-key.ts";
import type { Sealed, SealProvider } from "./seal-provider.ts";
import {
  checkedParameters,
  parseSealRecord,
  type PassphraseParameters,
  type PassphraseSealRecord,
  type SealRecord,
} from "./seal-record.ts";
import type { Secret } from "./secret.ts";

const SALT_BYTES = 16;
/** Single-factor secrets have at least 15 characters (NIST SP 800-63B-4 §3.1.1.2). */
const LEAST_CHARACTERS = 15;
const ROOT_LABEL = "strongroom/passphrase/root-key/v1";
const CHECK_LABEL = "strongroom/passphrase/check/v1";

/** Paid once per start: four times the memory of RFC 9106's second recommended option, about half a second. */
export const defaultPassphraseParameters: PassphraseParameters = { memory: 262_144, passes: 3, parallelism: 4 };

/**
 * Derives the root key from `passphrase` with argon2id (RFC 9106). The caller owns `passphrase` and disposes
 * of it. A rekey has nothing to put in place: salt and parameters are in the record that the database commits.
 */
export function passphraseProvider(
  passphrase: Secret,
  parameters: PassphraseParameters = defaultPassphraseParameters,
): SealProvider {
  return {
    name: "passphrase",
    create: () => createSeal(passphrase, parameters),
    open: (record) => openSeal(passphrase, record),
    async stage() {
      const sealed = await createSeal(passphrase, parameters);
      return { ...sealed, putInPlace: async () => {}, discard: async () => sealed.root.dispose() };
    },
  };
}

async function createSeal(passphrase: Secret, wanted: PassphraseParameters): Promise<Sealed> {
  if (Array.from(normalized(passphrase)).length < LEAST_CHARACTERS) {
    throw new SealError("passphrase.too-short", `Choose a passphrase of at least ${LEAST_CHARACTERS} characters.`);
  }
  const parameters = checkedParameters(wanted);
  const salt = randomBytes(SALT_BYTES);
  const stretched = await stretch(passphrase, salt, parameters);
  const root = rootKeyFrom(stretched);
  const unchecked = {
    version: 1,
    provider: "passphrase",
    rootKeyId: root.id,
    parameters,
    salt: salt.toString("base64url"),
  } as const;
  const check = checkOf(stretched, unchecked).toString("base64url");
  const checksum = checksumOf({ ...unchecked, check }).toString("base64url");
  return { root, record: { ...unchecked, check, checksum } };
}

async function openSeal(passphrase: Secret, stored: SealRecord): Promise<RootKey> {
  const record = parseSealRecord(stored);
  if (record.provider !== "passphrase") {
    throw new SealError("seal-record.other-provider", "This database is sealed by a key file. Provide that file.");
  }
  if (!timingSafeEqual(checksumOf(record), Buffer.from(record.checksum, "base64url"))) {
    throw new SealError(
      "seal-record.corrupt",
      "The seal record in the database was changed. Restore it from a backup.",
    );
  }
  const stretched = await stretch(passphrase, Buffer.from(record.salt, "base64url"), record.parameters);
  if (!timingSafeEqual(checkOf(stretched, record), Buffer.from(record.check, "base64url"))) {
    throw new SealError("passphrase.wrong", "Wrong passphrase. Try again.");
  }
  return rootKeyFrom(stretched);
}

async function stretch(passphrase: Secret, nonce: Buffer, parameters: PassphraseParameters): Promise<KeyObject> {
  const message = Buffer.from(normalized(passphrase), "utf8");
  const bytes = await argon2id({ message, nonce, tagLength: KEY_BYTES, ...parameters });
  const stretched = createSecretKey(bytes);
  message.fill(0);
  bytes.fill(0);
  return stretched;
}

function rootKeyFrom(stretched: KeyObject): RootKey {
  const bytes = hkdfSha256(stretched, Buffer.alloc(0), ROOT_LABEL, KEY_BYTES);
  const root = RootKey.fromBytes(bytes);
  bytes.fill(0);
  return root;
}

/** Keyboards compose accented letters differently: the same passphrase gives the same key (RFC 8265 §4.2). */
function normalized(passphrase: Secret): string {
  return passphrase.reveal().normalize("NFC");
}

type Unchecked = Omit<PassphraseSealRecord, "check" | "checksum">;

/** Only the right passphrase gives this value, and only for the original record. */
function checkOf(stretched: KeyObject, record: Unchecked): Buffer {
  const digest = createHash("sha256").update(encoded(record)).digest();
  return hkdfSha256(stretched, digest, CHECK_LABEL, KEY_BYTES);
}

/** Unkeyed: distinguishes damage from a wrong passphrase, and nothing more. */
function checksumOf(record: Omit<PassphraseSealRecord, "checksum">): Buffer {
  return createHash("sha256")
    .update(lengthPrefixed(encoded(record), record.check))
    .digest();
}

function encoded({ version, provider, rootKeyId, parameters, salt }: Unchecked): Buffer {
  const { memory, passes, parallelism } = parameters;
  return lengthPrefixed(String(version), provider, rootKeyId, `${memory}`, `${passes}`, `${parallelism}`, salt);
}
