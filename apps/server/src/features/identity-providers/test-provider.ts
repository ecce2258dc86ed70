// Tests a provider step by step and explains each failure.
import { lookUpPerson } from "@strongroom/connectors";
import type { LdapSettings, OidcSettings, testIdentityProvider } from "@strongroom/contract";
import * as openid from "openid-client";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import type { OidcRow } from "./identity-providers.store.ts";
import { contextOf, directoryOf } from "./directory/directories.ts";
import type { LdapRow } from "./directory/directories.ts";
import { flowSecrets, newFlowSecret } from "./oidc/flow-secrets.ts";
import { namesInDirectory, roleOf } from "./identity-providers.policy.ts";
import { findProvider } from "./identity-providers.store.ts";
import { providerNotFound, targetOf } from "./identity-providers.ts";
import type { IdentityProviderContext } from "./context.ts";
import { failureOf } from "./provider-failures.ts";
import { openProviderSecret } from "./provider-secret.ts";
import { redirectUriOf } from "./oidc/redirect-uri.ts";

interface Step {
  is_good: boolean;
  text: string;
}
type Report = { is_good: boolean; steps: Step[] };

const TIMEOUT_MS = 10_000;
const good = (text: string): Step => ({ is_good: true, text });
const bad = (text: string): Step => ({ is_good: false, text });

export async function testProvider(
  context: IdentityProviderContext,
  call: SteppedCall<typeof testIdentityProvider>,
  db: Db,
): Promise<Report> {
  const row = await findProvider(db, call.params.id);
  if (row === undefined) throw providerNotFound();
  call.note({ target: targetOf(row.id, row.name) });
  const steps =
    row.kind === "oidc"
      ? await stepsOfOidc(context, { ...row, settings: row.settings as OidcSettings })
      : await stepsOfLdap(context, { ...row, settings: row.settings as LdapSettings }, call);
  const isGood = steps.every((step) => step.is_good);
  return call.commit(async () => {
    call.note({ result: isGood ? "success" : "failure" });
    return { is_good: isGood, steps };
  });
}

async function stepsOfOidc(context: IdentityProviderContext, row: OidcRow): Promise<Step[]> {
  context.oidc.forget(row.id);
  using secret = await openProviderSecret(context.kernel, row);
  try {
    const config = await context.oidc.configurationOf(row, secret);
    const about = config.serverMetadata();
    const signatures = about.id_token_signing_alg_values_supported ?? [];
    return [
      good(`${about.issuer} answers, and signs with ${signatures.join(", ")}.`),
      ...(about.code_challenge_methods_supported?.includes("S256") === false
        ? [bad("The provider does not support PKCE (S256), which Strongroom requires.")]
        : []),
      await stepOfClient(context, row, config),
    ];
  } catch (error) {
    return [bad(failureOf(error)?.text ?? "The request to the provider failed.")];
  }
}

/** Sends a made-up code: only a provider that accepts the client refuses it with `invalid_grant`. */
async function stepOfClient(
  context: IdentityProviderContext,
  row: OidcRow,
  config: openid.Configuration,
): Promise<Step> {
  const redirectUri = redirectUriOf(context.kernel, row.id);
  const secrets = flowSecrets(newFlowSecret());
  const issuer = config.serverMetadata().issuer;
  const query = new URLSearchParams({ code: newFlowSecret(), state: secrets.state, iss: issuer });
  try {
    await context.oidc.exchange(config, new URL(`${redirectUri}?${query.toString()}`), secrets);
    return bad("The provider accepted a made-up code.");
  } catch (error) {
    if (error instanceof openid.ResponseBodyError && error.error === "invalid_grant") {
      return good(`The provider accepts the client. Register ${redirectUri} there as the redirect URI.`);
    }
    return bad(failureOf(error)?.text ?? "The token request failed.");
  }
}

async function stepsOfLdap(
  context: IdentityProviderContext,
  row: LdapRow,
  { body, signal }: SteppedCall<typeof testIdentityProvider>,
): Promise<Step[]> {
  const { settings } = row;
  const directory = await directoryOf(context, row);
  const answer = await lookUpPerson(directory, body.username, contextOf(context, signal, TIMEOUT_MS));
  if ("message" in answer) return [bad(answer.message)];
  const who = settings.bind_dn === null ? "anonymously" : `as ${settings.bind_dn}`;
  const reached = good(`${settings.url} answers over TLS and allows searches ${who}.`);
  if (body.username === null) return [reached];
  if (answer.outcome !== "found") {
    return [reached, bad(`Found no user, or more than one, named "${body.username}" under ${settings.base_dn}.`)];
  }
  const { dn, email, groups } = answer.person;
  const role = roleOf(namesInDirectory(groups), row);
  return [
    reached,
    good(`${body.username} is ${dn}.`),
    email === null
      ? bad(`There is no email address in ${settings.email_attribute}, and a Strongroom user needs one.`)
      : good(`The email address is ${email}.`),
    role === null
      ? bad(`Member of ${count(groups.length)}, none of which grants a role: sign-in would be refused.`)
      : good(
          `Member of ${count(groups.length)}. ${role === "keep" ? "The role is managed in Strongroom." : `The role would be ${role}.`}`,
        ),
  ];
}

const count = (groups: number): string => (groups === 1 ? "1 group" : `${groups} groups`);
