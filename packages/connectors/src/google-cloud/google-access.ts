// A stored key of a service account, and the addresses of Google's services.
import { createPrivateKey, type KeyObject } from "node:crypto";
import { badInput, cloudConnection } from "../cloud-api/cloud-connection.ts";
import type { Failure, Target } from "../connector.ts";
import type { TlsSettings } from "../tls-settings.ts";

export interface ServiceAccountKey {
  id: string;
  email: string;
  project: string;
  privateKey: KeyObject;
}

interface Services {
  token: string;
  iam: string;
  resourceManager: string;
  secretManager: string;
  policyAnalyzer: string;
}

export interface GoogleAccess extends Services {
  key: ServiceAccountKey;
  tls: TlsSettings;
}

const GOOGLE: Services = {
  token: "https://oauth2.googleapis.com",
  iam: "https://iam.googleapis.com",
  resourceManager: "https://cloudresourcemanager.googleapis.com",
  secretManager: "https://secretmanager.googleapis.com",
  policyAnalyzer: "https://policyanalyzer.googleapis.com",
};

export const isProjectId = (value: unknown): value is string =>
  typeof value === "string" && /^(?:[a-z][a-z0-9.-]{0,60}:)?[a-z][a-z0-9-]{4,61}$/.test(value);

export const isEmail = (value: unknown): value is string =>
  typeof value === "string" && /^[\w.+-]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(value);

export const isKeyId = (value: unknown): value is string =>
  typeof value === "string" && /^[0-9a-f]{16,64}$/.test(value);

/** Null when the text is not a key file of a service account. Its addresses (`token_uri`) are ignored. */
export function parseKeyFile(text: string): ServiceAccountKey | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed === null || typeof parsed !== "object") return null;
    const {
      type,
      private_key_id: id,
      private_key: pem,
      client_email: email,
      project_id: project,
    } = parsed as Record<string, unknown>;
    if (type !== "service_account" || !isKeyId(id) || !isEmail(email) || !isProjectId(project)) return null;
    if (typeof pem !== "string") return null;
    const privateKey = createPrivateKey(pem);
    return privateKey.asymmetricKeyType === "rsa" ? { id, email, project, privateKey } : null;
  } catch {
    // Not JSON, or without a readable private key: the caller reports the expected form.
    return null;
  }
}

export function googleAccessOf(target: Target, value: string): GoogleAccess | { failure: Failure } {
  const key = parseKeyFile(value);
  if (key === null)
    return badInput('The secret must be the JSON of a key file, with "type": "service_account", as issued by Google.');
  const connection = cloudConnection(target, "Google Cloud");
  if ("failure" in connection) return connection;
  const { tls, endpoint } = connection;
  if (endpoint === null) return { key, tls, ...GOOGLE };
  return {
    key,
    tls,
    token: endpoint,
    iam: endpoint,
    resourceManager: endpoint,
    secretManager: endpoint,
    policyAnalyzer: endpoint,
  };
}
