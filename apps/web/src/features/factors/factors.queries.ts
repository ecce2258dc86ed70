// Queries and mutations of second factors, of the second sign-in step and of re-authentication.
import {
  addFactor,
  addFirstFactor,
  beginFactor,
  beginFirstFactor,
  beginPasskeySignIn,
  beginProviderStepUp,
  beginStepUp,
  completeSignIn,
  listFactors,
  removeFactor,
  renewRecoveryCodes,
  signInWithPasskey,
  stepUp,
  type FactorAnswer,
  type FactorId,
  type FactorKind,
  type FactorProof,
  type NewFactor,
  type SignedIn,
  type StepUpProof,
} from "@strongroom/contract";
import { mutationOptions, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { answerWithPasskey } from "./passkey.ts";

const FACTORS = listFactors.path;

export const useFactors = () => useQuery(queryOf(listFactors));

export const factorRemoval = (client: QueryClient, id: FactorId) =>
  mutationOptions({
    mutationFn: () => call(removeFactor, { params: { id } }),
    onSuccess: () => invalidatePath(client, FACTORS),
  });

/** Not a mutation: a mutation caches its result, and only the screen may hold the codes. */
export function useNewCodes(): () => Promise<string[]> {
  const client = useQueryClient();
  return async () => {
    const { recovery_codes: codes } = await call(renewRecoveryCodes);
    await invalidatePath(client, FACTORS);
    return codes;
  };
}

export interface Added {
  /** Recovery codes to show once; null when the user already has some. */
  codes: string[] | null;
  /** The session's token, when the factor was set up during a sign-in; else null. */
  token: string | null;
}

/** The two calls that set up a factor. */
export interface Enrolment {
  begin: (kind: FactorKind) => Promise<NewFactor>;
  finish: (answer: FactorAnswer) => Promise<Added>;
}

export function useOwnEnrolment(): Enrolment {
  const client = useQueryClient();
  return {
    begin: (kind) => call(beginFactor, { body: { kind } }),
    finish: async (body) => {
      const { recovery_codes: codes } = await call(addFactor, { body });
      await invalidatePath(client, FACTORS);
      return { codes, token: null };
    },
  };
}

/** For a sign-in that requires a second factor. */
export const firstEnrolment = (pending: string): Enrolment => ({
  begin: (kind) => call(beginFirstFactor, { body: { pending, kind } }),
  finish: async (answer) => {
    const { token, recovery_codes: codes } = await call(addFirstFactor, { body: { pending, answer } });
    return { codes, token };
  },
});

export const finishSecondStep = (pending: string, proof: FactorProof): Promise<SignedIn> =>
  call(completeSignIn, { body: { pending, proof } });

/** Signs in with any passkey that the user picks. */
export async function enterWithPasskey(isRemembered: boolean): Promise<SignedIn> {
  const response = await answerWithPasskey(await call(beginPasskeySignIn));
  return call(signInWithPasskey, { body: { response, remember_me: isRemembered } });
}

export const requestStepUp = () => call(beginStepUp);
/** Returns the address at which the user's identity provider authenticates them again. */
export const beginAtProvider = (returnTo: string) => call(beginProviderStepUp, { body: { return_to: returnTo } });
export const sendStepUp = (proof: StepUpProof) => call(stepUp, { body: { proof } });
