// The calls of the second sign-in step.
import {
  addFirstFactor,
  beginFirstFactor,
  completeSignIn,
  type FactorProof,
  type SignedIn,
} from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import type { Enrolment } from "#shared/factors/new-factor.tsx";

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
