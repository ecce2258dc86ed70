// Identity providers: signing in through OpenID Connect and directories, and their configuration.
import type { Tx } from "#kernel/db/database.ts";
import type { SignInFeature } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { claimsOn, signInByDirectory } from "./directory/directories.ts";
import { rolePermissions } from "./identity-providers.policy.ts";
import { bindIdentityProviders } from "./identity-providers.routes.ts";
import { createIdentityProviderContext } from "./context.ts";
import {
  findOpenidProviderOf,
  findProviderOf,
  findProvidersOf,
  unbindPerson,
  writeSignedOutAt,
} from "./people/people.store.ts";
import { deleteFlowsBefore } from "./oidc/flows.store.ts";
import { takeOver } from "./people/take-over.ts";

export interface IdentityProvidersFeature {
  /** Called when a user is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** For a restored database: ends sign-ins in progress. */
  endFlows(tx: Tx): Promise<void>;
}

export function installIdentityProviders(kernel: Kernel, signIn: SignInFeature): IdentityProvidersFeature {
  const context = createIdentityProviderContext(kernel, signIn);
  kernel.authority.grant(rolePermissions);
  signIn.parts.externalProviders.current = {
    proveByDirectory: (query) => signInByDirectory(context, query),
    takeOver: (tx, user, wanted) => takeOver(context, tx, user, wanted),
    providerOf: async (db, userId) => (await findProviderOf(db, userId))?.name ?? null,
    openidProviderOf: async (db, userId) => (await findOpenidProviderOf(db, userId)) ?? null,
    noteSignOut: (tx, userId) => writeSignedOutAt(tx, userId, kernel.clock.now()),
    providersOf: findProvidersOf,
    claimsOn,
  };
  bindIdentityProviders(context);
  defineJobs(kernel);
  return {
    forgetPerson: unbindPerson,
    endFlows: async (tx) => void (await tx.deleteFrom("identity_provider_flows").execute()),
  };
}

function defineJobs(kernel: Kernel): void {
  kernel.jobs.define("identity-providers.sweep", { schedule: "*/5 * * * *" }, async () => {
    await kernel.database.transaction((tx) => deleteFlowsBefore(tx, kernel.clock.now()));
  });
}
