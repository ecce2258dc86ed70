// The setup that many flows share: a server with one administrator, optionally with a credential, and a visitor.
import { createCredential } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import type { Browser } from "playwright-core";
import { launchBrowser, visitor } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { ask, firstAdmin, tokenOf } from "./people.ts";
import type { Person } from "./people.ts";
import { startServer } from "./server.ts";
import type { RunningServer } from "./server.ts";

export interface OneAdmin {
  server: RunningServer;
  browser: Browser;
  admin: Person;
  token: string;
  /** The visitor is not signed in yet. */
  visit: Visit;
  close(): Promise<void>;
}

export interface Beginning extends OneAdmin {
  /** The id of the credential. */
  id: CredentialId;
}

/** Closes everything again if the setup fails. */
export async function oneAdmin(): Promise<OneAdmin> {
  const browser = await launchBrowser();
  let server: RunningServer | null = null;
  const close = async () => {
    await browser.close();
    await server?.close();
  };
  try {
    server = await startServer();
    const admin = await firstAdmin(server);
    const token = await tokenOf(server, admin);
    return { server, browser, admin, token, visit: await visitor(browser, server.url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes everything again if the setup fails. */
export async function oneCredential(name: string): Promise<Beginning> {
  const started = await oneAdmin();
  try {
    const body = { name, type: "application" as const, username: "service", value: "an old secret" };
    const { id } = await ask(started.server.url, createCredential, { body }, started.token);
    return { ...started, id };
  } catch (error) {
    await started.close();
    throw error;
  }
}
