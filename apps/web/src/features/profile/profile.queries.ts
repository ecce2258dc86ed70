// Who one is here: read from the server, and one's name changed.
import { readOwnProfile, renameOneself } from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { renewToken } from "#shared/session/session-store.ts";

export const ownProfile = queryOf(readOwnProfile);

/** The token carries the name, so the session goes on with a new one. */
export const renaming = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async (name: string) => {
      const { token } = await call(renameOneself, { body: { name } });
      return renewToken(token).name;
    },
    onSuccess: () => invalidatePath(client, "/api/v1/auth"),
  });
