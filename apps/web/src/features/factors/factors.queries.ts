// Queries and mutations of the user's second factors and of re-authentication.
import {
  addFactor,
  beginFactor,
  beginProviderStepUp,
  beginStepUp,
  listFactors,
  removeFactor,
  renewRecoveryCodes,
  stepUp,
  type FactorId,
  type StepUpProof,
} from "@strongroom/contract";
import { mutationOptions, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import type { Enrolment } from "#shared/factors/new-factor.tsx";

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

export const requestStepUp = () => call(beginStepUp);
/** Returns the address at which the user's identity provider authenticates them again. */
export const beginAtProvider = (returnTo: string) => call(beginProviderStepUp, { body: { return_to: returnTo } });
export const sendStepUp = (proof: StepUpProof) => call(stepUp, { body: { proof } });
