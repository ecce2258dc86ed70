// A software passkey for tests, which acts as both the device and the browser (WebAuthn §6 and §7), with optional faults.
import type { PasskeyAssertion, PasskeyCreation, PasskeyRegistration, PasskeyRequest } from "@strongroom/contract";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

export interface Conditions {
  origin?: string;
  /** Simulates a device that did not verify its user. */
  isUnverified?: boolean;
  /** The signature counter to report. By default, it is one more than last time. */
  counter?: number;
  challenge?: string;
  /** The site for which the device signs. */
  rpId?: string;
  /** The ceremony that the browser names. */
  type?: string;
  /** Simulates a device without the touch of its user. */
  isAbsent?: boolean;
  /** Whether the browser ran in a frame of a different site. */
  crossOrigin?: boolean;
  /** Signs with a different key. */
  isForged?: boolean;
}

const sha256 = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest();

export function anAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let count = 0;

  const clientData = (type: string, challenge: string, conditions: Conditions) =>
    Buffer.from(
      JSON.stringify({
        type: conditions.type ?? type,
        challenge: conditions.challenge ?? challenge,
        origin: conditions.origin ?? origin,
        crossOrigin: conditions.crossOrigin ?? false,
      }),
    );

  function authenticatorData(rpId: string, conditions: Conditions, attested = Buffer.alloc(0)): Buffer {
    count = conditions.counter ?? count + 1;
    const flags =
      (conditions.isAbsent === true ? 0 : USER_PRESENT) |
      (conditions.isUnverified === true ? 0 : USER_VERIFIED) |
      (attested.length > 0 ? HAS_KEY : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    return Buffer.concat([sha256(conditions.rpId ?? rpId), Buffer.from([flags]), counter, attested]);
  }

  function coseKey(): Uint8Array {
    const { x, y } = publicKey.export({ format: "jwk" });
    const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? "", "base64url"));
    const entries: [number, number | Uint8Array<ArrayBuffer>][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ];
    return isoCBOR.encode(new Map(entries));
  }

  const common = { id: id.toString("base64url"), rawId: id.toString("base64url"), type: "public-key" as const };

  return {
    register(options: PasskeyCreation, conditions: Conditions = {}): PasskeyRegistration {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey()]);
      const authData = authenticatorData(options.rp.id, conditions, attested);
      const parts = new Map<string, string | Map<string, string> | Uint8Array<ArrayBuffer>>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(authData)],
      ]);
      return {
        ...common,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData("webauthn.create", options.challenge, conditions).toString("base64url"),
          attestationObject: Buffer.from(isoCBOR.encode(parts)).toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    answer(options: PasskeyRequest, conditions: Conditions = {}): PasskeyAssertion {
      const data = authenticatorData(options.rpId, conditions);
      const client = clientData("webauthn.get", options.challenge, conditions);
      const key =
        conditions.isForged === true ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : privateKey;
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), key);
      return {
        ...common,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
        },
      };
    },
  };
}
