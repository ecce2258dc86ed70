// Signing in through an identity provider. Separate from the settings of providers, so that the sign-in page loads only
// this.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";
import { login } from "./sign-in.ts";

export const IdentityProviderId = z.uuid().brand<"IdentityProviderId">();
export type IdentityProviderId = z.infer<typeof IdentityProviderId>;

const byId = z.object({ id: IdentityProviderId });

/** The content of the sign-in page. */
export const listWaysIn = endpoint({
  method: "GET",
  path: "/api/v1/auth/providers",
  summary: "The identity providers on the sign-in page",
  reply: z.object({
    data: z.array(z.object({ id: IdentityProviderId, name: z.string() })),
    /** A user name works as well as an email. */
    has_directory: z.boolean(),
  }),
  needs: "public",
  audit: "none",
});

/** A path in the app, which cannot lead elsewhere. */
const PlaceInApp = z
  .string()
  .max(1000)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, "Must be a path of this app.");

export const beginOidc = endpoint({
  method: "POST",
  path: "/api/v1/auth/oidc/:id/begin",
  summary: "Start a sign-in: returns where to send the browser. Bound to it by a cookie, valid for 10 minutes",
  params: byId,
  body: z.strictObject({
    return_to: PlaceInApp.default("/"),
    remember_me: z.boolean().default(false),
    /** The provider authenticates the person again, even if it still knows them in this browser. */
    authenticate: z.boolean().default(false),
  }),
  reply: z.object({ url: z.string() }),
  needs: "public",
  audit: "identity-provider.asked",
  gives: "nothing",
});

export const finishOidc = endpoint({
  method: "POST",
  path: "/api/v1/auth/oidc/:id/finish",
  summary: "Finish a sign-in with the provider's response; works once, in the browser that started it",
  params: byId,
  /** The query of the URL that the provider redirected to. */
  body: z.strictObject({ query: z.string().min(1).max(8000) }),
  reply: z.object({
    /** Empty after a step-up: the session exists already. */
    sign_in: login.reply,
    return_to: z.string(),
    remember_me: z.boolean(),
    /** Set after a step-up. */
    proved_until: Moment.nullable(),
  }),
  needs: "public",
  audit: "session.started",
  gives: "nothing",
});

/**
 * For people without a password or second factor in Strongroom. `finishOidc` completes the step-up, in the same
 * browser.
 */
export const beginProviderStepUp = endpoint({
  method: "POST",
  path: "/api/v1/auth/step-up/provider",
  summary: "Start a step-up through the caller's OpenID Connect provider: returns where to send the browser",
  body: z.strictObject({ return_to: PlaceInApp.default("/") }),
  reply: z.object({ url: z.string() }),
  needs: "signed-in",
  audit: "identity-provider.asked",
  gives: "nothing",
});

/** RP-initiated logout. The browser opens the returned address, where the provider asks the person to confirm. */
export const signOutOfProvider = endpoint({
  method: "POST",
  path: "/api/v1/auth/oidc/:id/sign-out",
  summary: "The sign-out page of an OpenID Connect provider; null when it has none",
  params: byId,
  reply: z.object({ url: z.string().nullable() }),
  needs: "public",
  audit: "none",
  gives: "nothing",
});
