// Queries and mutations of sign-in, sign-up and forgotten passwords.
import {
  beginPasskeySignIn,
  completePasswordReset,
  entrance,
  login,
  register,
  requestPasswordReset,
  signInWithPasskey,
  type SecondStep,
  type SignedIn,
} from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { CallError } from "#shared/api/call-error.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { answerWithPasskey } from "#shared/factors/passkey.ts";
import { startSession } from "#shared/session/session-store.ts";
import { INVALID_TOKEN } from "#shared/session/token.ts";

/** Whether the first administrator is missing, whether sign-up is open and whether mail is configured. */
export const useSignInPage = () => useQuery(queryOf(entrance));

export interface Credentials {
  email: string;
  password: string;
  rememberMe: boolean;
}

export const useSignIn = () =>
  useMutation({
    mutationFn: async ({ email, password, rememberMe }: Credentials) => {
      const reply = await call(login, { body: { email, password, remember_me: rememberMe } });
      return afterFirstProof(reply, rememberMe);
    },
  });

/** Signs in with any passkey that the user picks. */
async function enterWithPasskey(isRemembered: boolean): Promise<SignedIn> {
  const response = await answerWithPasskey(await call(beginPasskeySignIn));
  return call(signInWithPasskey, { body: { response, remember_me: isRemembered } });
}

export const usePasskeySignIn = () =>
  useMutation({
    mutationFn: async (isRemembered: boolean) => afterFirstProof(await enterWithPasskey(isRemembered), isRemembered),
  });

/** Starts the session, or returns the second step that is still missing. Every sign-in method uses it. */
export function afterFirstProof({ token, second_step: step }: SignedIn, isRemembered: boolean): SecondStep | null {
  if (step !== undefined) return step;
  if (token === undefined) throw new CallError({ kind: "unreadable", message: INVALID_TOKEN });
  startSession(token, isRemembered);
  return null;
}

export interface Registration {
  email: string;
  password: string;
  role: string;
  setup_token?: string;
}

/** Refetches the public facts, which change with the first account. */
export function useSignUp() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Registration) => call(register, { body }),
    onSuccess: () => void invalidatePath(client, entrance.path),
  });
}

export const useRequestReset = () =>
  useMutation({ mutationFn: (email: string) => call(requestPasswordReset, { body: { email } }) });

export const useCompleteReset = () =>
  useMutation({
    mutationFn: (body: { token: string; password: string }) => call(completePasswordReset, { body }),
  });
