// Types for the part of the package that the tests use, because the package ships none.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface Account {
    accountId: string;
    claims(): Promise<Record<string, unknown>>;
  }

  export interface Configuration {
    clients: Record<string, unknown>[];
    jwks: { keys: object[] };
    findAccount(context: unknown, subject: string): Account;
    interactions: { url(context: unknown, interaction: { uid: string }): string };
    [setting: string]: unknown;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Interaction {
    params: Record<string, unknown>;
    grantId?: string;
    session?: { accountId: string };
  }

  interface Context {
    body?: unknown;
    oidc?: { route: string };
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    Grant: { new (of: { accountId: string; clientId: string }): Grant; find(id: string): Promise<Grant | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => unknown;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
