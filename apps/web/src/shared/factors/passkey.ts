// Asks the browser for a passkey, and explains failures in plain language.
import type { PasskeyAssertion, PasskeyCreation, PasskeyRegistration, PasskeyRequest } from "@strongroom/contract";

const IS_NUMERIC = /^(\d+\.){3}\d+$|^\[/;

/** Browsers support passkeys on HTTPS and on localhost, and only at a host name, never at an IP address. */
export const canUsePasskeys = (): boolean =>
  typeof globalThis.PublicKeyCredential === "function" && !IS_NUMERIC.test(globalThis.location.hostname);

/** Browsers throw the same error when the user closes the dialog and when it times out. */
const CANCELLED = "The browser did not get a response. Try again and follow its instructions.";
const KNOWN = "This device or security key is already registered.";

/** The browser returned no passkey; the message explains why in plain language. */
export class NoPasskey extends Error {
  override readonly name = "NoPasskey";
}

function explainPasskey(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const name = error.cause instanceof Error ? error.cause.name : error.name;
  if (name === "InvalidStateError") return KNOWN;
  if (name === "NotAllowedError" || name === "AbortError") return CANCELLED;
  return name === "SecurityError" ? "Passkeys do not work at this address. Ask an administrator." : null;
}

async function plainly<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const why = explainPasskey(error);
    throw why === null ? error : new NoPasskey(why, { cause: error });
  }
}

/** Rejects with `NoPasskey`. */
export const answerWithPasskey = (options: PasskeyRequest): Promise<PasskeyAssertion> =>
  plainly(async () => {
    const { startAuthentication } = await import("@simplewebauthn/browser");
    return { ...(await startAuthentication({ optionsJSON: options })), clientExtensionResults: {} };
  });

/** Rejects with `NoPasskey`. */
export const makePasskey = (options: PasskeyCreation): Promise<PasskeyRegistration> =>
  plainly(async () => {
    const { startRegistration } = await import("@simplewebauthn/browser");
    return { ...(await startRegistration({ optionsJSON: options })), clientExtensionResults: {} };
  });
