// Queries and mutations of the user's SSH keys, and where SSH clients connect.
import { addSshKey, listSshKeys, readSshAccess, removeSshKey, type InputOf, type SshKeyId } from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

const KEYS = listSshKeys.path;

export const sshKeys = queryOf(listSshKeys);
export const sshAccess = queryOf(readSshAccess);

export async function saveKey(client: QueryClient, body: NonNullable<InputOf<typeof addSshKey>["body"]>) {
  const added = await call(addSshKey, { body });
  await invalidatePath(client, KEYS);
  return added;
}

export const keyRemoval = (client: QueryClient, id: SshKeyId) =>
  mutationOptions({
    mutationFn: () => call(removeSshKey, { params: { id } }),
    onSuccess: () => invalidatePath(client, KEYS),
  });
