// Asks the browser for a passkey, and says in plain words why it gave none.
import type { PasskeyAssertion, PasskeyCreation, PasskeyRegistration, PasskeyRequest } from "@strongroom/contract";

const IS_NUMERIC = /^(\d+\.){3}\d+$|^\[/;

/** Browsers know passkeys on HTTPS and on this machine, and only at a name, never at an address of numbers. */
export const canUsePasskeys = (): boolean =>
  typeof globalThis.PublicKeyCredential === "function" && !IS_NUMERIC.test(globalThis.location.hostname);

/** What a browser throws when the person closed its dialog, or waited too long. It does not say which. */
const CANCELLED = "The browser got no answer. Try again, and follow what it asks for.";
const KNOWN = "This device or key is set up already.";

/** The browser gave no passkey; the message says why in plain words. */
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
