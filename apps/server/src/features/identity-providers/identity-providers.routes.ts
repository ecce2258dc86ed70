// Binds the calls of identity providers to their use cases.
import {
  beginOidc,
  beginProviderStepUp,
  createIdentityProvider,
  deleteIdentityProvider,
  finishOidc,
  listIdentityProviders,
  listWaysIn,
  signOutOfProvider,
  testIdentityProvider,
  updateIdentityProvider,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { begin, beginStepUp } from "./oidc/begin-oidc.ts";
import { finish } from "./oidc/finish-oidc.ts";
import { findEnabled } from "./identity-providers.store.ts";
import { changeProvider, listProviders, makeProvider, removeProvider } from "./identity-providers.ts";
import type { IdentityProviderContext } from "./context.ts";
import { providerSignOut } from "./oidc/provider-sign-out.ts";
import { testProvider } from "./test-provider.ts";

export function bindIdentityProviders(context: IdentityProviderContext): void {
  const { kernel } = context;
  implement(kernel, listIdentityProviders, (_call, db) => listProviders(kernel, db));
  implement(kernel, createIdentityProvider, (call, tx) => makeProvider(kernel, call, tx));
  implement(kernel, updateIdentityProvider, (call, tx) => changeProvider(kernel, call, tx));
  implement(kernel, deleteIdentityProvider, (call, tx) => removeProvider(context, call, tx));
  implementInSteps(kernel, testIdentityProvider, (call, db) => testProvider(context, call, db));
  implement(kernel, listWaysIn, (_call, db) => waysIn(db));
  implementInSteps(kernel, beginOidc, (call, db) => begin(context, call, db));
  implementInSteps(kernel, beginProviderStepUp, (call, db) => beginStepUp(context, call, db));
  implement(kernel, signOutOfProvider, (call, db) => providerSignOut(context, call, db));
  implementInSteps(kernel, finishOidc, (call, db) => finish(context, call, db));
}

async function waysIn(db: Db) {
  const providers = await findEnabled(db, "oidc");
  const directories = await findEnabled(db, "ldap");
  return { data: providers.map(({ id, name }) => ({ id, name })), has_directory: directories.length > 0 };
}
