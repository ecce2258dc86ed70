// Retrieves the secrets that references in texts name, each account once, with an API token.
import { referencesIn, resolveReferences, retrieveAccount } from "@strongroom/contract";
import type { AccountId } from "@strongroom/contract";
import { CommandError, UsageError } from "./command-error.ts";
import { DEFAULT_URL, callServer, requirePrivate, serverUrl } from "./server.ts";

/** Throws CommandError when a reference is not valid or the server refuses its secret. Texts without references need no server. */
export async function resolveTexts(texts: readonly string[], given: string | undefined): Promise<string[]> {
  const ids = new Set(texts.flatMap((text) => plainly(() => referencesIn(text)).map(({ accountId }) => accountId)));
  if (ids.size === 0) return [...texts];
  const url = serverUrl(given ?? process.env["STRONGROOM_URL"] ?? DEFAULT_URL);
  requirePrivate(url, "The API token");
  const token = process.env["STRONGROOM_TOKEN"] ?? "";
  if (token === "") throw new UsageError("Set STRONGROOM_TOKEN to an API token with the scope account.retrieve.");
  const secrets = new Map<AccountId, string>();
  for (const id of ids) {
    const { password } = await callServer(url, retrieveAccount, { params: { id }, body: {} }, token).catch(
      (error: unknown) => {
        throw new CommandError(`{{strongroom:${id}}}: ${(error as Error).message}`, { cause: error });
      },
    );
    secrets.set(id, password);
  }
  return texts.map((text) => resolveReferences(text, (id) => secrets.get(id)!));
}

function plainly<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CommandError((error as Error).message, { cause: error });
  }
}
