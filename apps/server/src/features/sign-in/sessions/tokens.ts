// Issues and verifies session tokens: JWTs signed with EdDSA (RFC 7519, RFC 8037) and no other algorithm.
import { TokenPayload } from "@strongroom/contract";
import { SignJWT, errors, jwtVerify } from "jose";
import type { JWTHeaderParameters } from "jose";
import type { Clock } from "#kernel/clock.ts";
import type { SigningKeys } from "./signing-keys.ts";

const ALGORITHM = "EdDSA";
const ISSUER = "strongroom";
const AUDIENCE = "strongroom-api";
const MOST_REMEMBERED = 4096;
/** Our tokens are under 600 characters; longer ones are rejected without parsing. */
const LONGEST = 4096;

export interface Tokens {
  /** Rejects with SealedError. */
  issue(payload: TokenPayload): Promise<string>;
  /**
   * Null when the token is malformed, has expired, or was not signed by us for this audience. Does not check whether
   * the session is open.
   */
  check(token: string): Promise<TokenPayload | null>;
}

export function createTokens(keys: SigningKeys, clock: Clock): Tokens {
  const verified = createRecent<TokenPayload>(MOST_REMEMBERED);

  async function publicKeyOf(header: JWTHeaderParameters) {
    const key = typeof header.kid === "string" && isUuid(header.kid) ? await keys.byId(header.kid) : null;
    if (key === null) throw new errors.JWSSignatureVerificationFailed();
    return key.publicKey;
  }

  async function verify(token: string): Promise<TokenPayload | null> {
    try {
      const { payload } = await jwtVerify(token, publicKeyOf, {
        algorithms: [ALGORITHM],
        typ: "JWT",
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ["exp", "iat", "sid"],
        currentDate: clock.now(),
      });
      return TokenPayload.parse(payload);
    } catch (error) {
      // A forged or damaged token is expected. Any other error is a bug and is rethrown.
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  return {
    async issue(payload) {
      const { id, privateKey } = await keys.inUse();
      const signing = new SignJWT({ ...payload })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: id })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE);
      return signing.sign(privateKey);
    },
    async check(token) {
      if (token.length > LONGEST) return null;
      const payload = verified.get(token) ?? (await verify(token));
      // INVARIANT: a cached verification is only valid until the token expires.
      if (payload === null || payload.exp * 1000 <= clock.now().getTime()) return null;
      verified.set(token, payload);
      return payload;
    },
  };
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** A map that keeps the `most` most recently set entries. */
function createRecent<T>(most: number): Recent<T> {
  const entries = new Map<string, T>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      const oldest = entries.keys().next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
  };
}
