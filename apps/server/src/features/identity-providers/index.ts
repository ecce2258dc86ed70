// Identity providers: signing in through OpenID Connect and directories, and what an administrator says about them.
import type { Tx } from "#kernel/db/database.ts";
import type { SignInFeature } from "#features/sign-in/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { claimsOn, proveByDirectory } from "./directories.ts";
import { defineJobs } from "./identity-providers.jobs.ts";
import { grants } from "./identity-providers.policy.ts";
import { bindIdentityProviders } from "./identity-providers.routes.ts";
import { createOffice } from "./office.ts";
import {
  findOpenidProviderOf,
  findProviderOf,
  findProvidersOf,
  forgetPerson,
  writeSignedOutAt,
} from "./people.store.ts";
import { takeOver } from "./take-over.ts";

export interface IdentityProvidersFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** For a restored database: ends sign-ins under way. */
  endFlows(tx: Tx): Promise<void>;
}

export function installIdentityProviders(kernel: Kernel, signIn: SignInFeature): IdentityProvidersFeature {
  const office = createOffice(kernel, signIn);
  kernel.authority.grant(grants);
  signIn.parts.elsewhere.current = {
    proveByDirectory: (wish) => proveByDirectory(office, wish),
    takeOver: (tx, user, wanted) => takeOver(office, tx, user, wanted),
    providerOf: async (db, userId) => (await findProviderOf(db, userId))?.name ?? null,
    openidProviderOf: async (db, userId) => (await findOpenidProviderOf(db, userId)) ?? null,
    noteSignOut: (tx, userId) => writeSignedOutAt(tx, userId, kernel.clock.now()),
    providersOf: findProvidersOf,
    claimsOn,
  };
  bindIdentityProviders(office);
  defineJobs(kernel);
  return { forgetPerson, endFlows: async (tx) => void (await tx.deleteFrom("identity_provider_flows").execute()) };
}
