// Queries and mutations of the user's own profile.
import { readOwnProfile, renameOneself } from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { renewToken } from "#shared/session/session-store.ts";

export const ownProfile = queryOf(readOwnProfile);

/** The token contains the name, so the session continues with a new token. */
export const renaming = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async (name: string) => {
      const { token } = await call(renameOneself, { body: { name } });
      return renewToken(token).name;
    },
    onSuccess: () => invalidatePath(client, "/api/v1/auth"),
  });
