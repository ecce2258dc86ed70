// A fake of Google's token endpoint, IAM, Resource Manager, Secret Manager and Policy Analyzer, on one origin. It
// checks the signature and the audience of assertions. Does not prove: Google's services, their delays and permissions.
import { createPublicKey, generateKeyPairSync, randomBytes, verify, type KeyObject } from "node:crypto";
import { startFakeApi, type ApiReply, type ApiRequest, type FakeApi } from "./fake-json-api.ts";

interface StoredKey {
  id: string;
  publicKey: KeyObject;
  isActive: boolean;
  createdAt: string;
  /** How many more logins are refused until the key is known everywhere. */
  refusals: number;
}

export interface FakeGoogleCloud extends FakeApi {
  /** How many logins with the next new keys are refused first. */
  refusalsOfNew: number;
  /** How many of them are left for the newest key. */
  lastRefusals(): number;
  project: string;
  /** Adds a service account with one key. `secret` is the file of the key. */
  addServiceAccount(name: string): { email: string; secret: string; keyId: string };
  /** Another key of the account; its ID. */
  addKey(email: string): string;
  keysOf(email: string): { id: string; isActive: boolean }[];
  disableKey(keyId: string): void;
  bindings: { role: string; members: string[]; condition?: object }[];
  /** Names of secrets; the fake has no values. */
  secrets: string[];
  /** Paths that contain one of these answer with status 403. */
  denied: Set<string>;
}

const PROJECT = "strongroom-test";
const MAX_KEYS = 10;
const PAGE = 2;

/** `addresses`: additional addresses for the fake's certificate. */
export async function startFakeGoogleCloud(addresses: readonly string[] = []): Promise<FakeGoogleCloud> {
  const accounts = new Map<string, StoredKey[]>();
  const bindings: FakeGoogleCloud["bindings"] = [];
  const secrets: string[] = [];
  const denied = new Set<string>();
  const tokens = new Map<string, string>();

  let made = -1;
  let newest: StoredKey | null = null;
  const newKey = (email: string): { key: StoredKey; file: string } => {
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key: StoredKey = {
      id: randomBytes(20).toString("hex"),
      publicKey: createPublicKey(pair.privateKey),
      isActive: true,
      createdAt: `2026-02-03T04:05:${String(6 + (made += 1)).padStart(2, "0")}Z`,
      refusals: fake.refusalsOfNew,
    };
    accounts.get(email)!.push(key);
    newest = key;
    const file = JSON.stringify({
      type: "service_account",
      project_id: PROJECT,
      private_key_id: key.id,
      private_key: pair.privateKey.export({ type: "pkcs8", format: "pem" }),
      client_email: email,
      token_uri: "https://elsewhere.example/token",
    });
    return { key, file };
  };

  const tokenFor = ({ url, form }: ApiRequest): ApiReply => {
    const [header = "", payload = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, "base64url").toString() || "{}") as Record<string, unknown>;
    const { kid, alg } = read(header);
    const { iss, aud } = read(payload);
    const email = String(iss);
    const key = accounts.get(email)?.find(({ id, isActive }) => id === kid && isActive);
    const isSigned =
      key !== undefined &&
      alg === "RS256" &&
      aud === url.href &&
      verify("sha256", Buffer.from(`${header}.${payload}`), key.publicKey, Buffer.from(signature, "base64url"));
    const isEarly = isSigned && key.refusals > 0;
    if (isEarly) key.refusals -= 1;
    if (!isSigned || isEarly)
      return { status: 400, body: { error: "invalid_grant", error_description: "Invalid JWT Signature." } };
    const token = randomBytes(24).toString("base64url");
    tokens.set(token, email);
    return { body: { access_token: token, expires_in: 3599, token_type: "Bearer" } };
  };

  const page = (url: URL, field: string, entries: readonly object[]): ApiReply => {
    const at = Number(url.searchParams.get("pageToken") ?? "0");
    const more = at + PAGE < entries.length ? { nextPageToken: String(at + PAGE) } : {};
    return { body: { [field]: entries.slice(at, at + PAGE), ...more } };
  };

  const keys = ({ method }: ApiRequest, caller: string, email: string, id: string | undefined): ApiReply => {
    const own = accounts.get(email);
    if (own === undefined) return apiError(404, "NOT_FOUND");
    if (method === "GET") return { body: { keys: own.map((key) => shownKey(email, key)) } };
    if (caller !== email) return apiError(403, "PERMISSION_DENIED");
    if (method === "POST") {
      if (own.length >= MAX_KEYS) return apiError(400, "FAILED_PRECONDITION");
      const { key, file } = newKey(email);
      return { body: { ...shownKey(email, key), privateKeyData: Buffer.from(file).toString("base64") } };
    }
    const at = own.findIndex((key) => key.id === id);
    if (at < 0) return apiError(404, "NOT_FOUND");
    own.splice(at, 1);
    return { body: {} };
  };

  const answer = (request: ApiRequest): ApiReply => {
    const { url, token } = request;
    const path = decodeURIComponent(url.pathname);
    if (path === "/token") return tokenFor(request);
    const caller = tokens.get(token ?? "");
    if (caller === undefined) return apiError(401, "UNAUTHENTICATED");
    if ([...denied].some((part) => path.includes(part))) return apiError(403, "PERMISSION_DENIED");
    const key = /^\/v1\/projects\/-\/serviceAccounts\/([^/]+)\/keys(?:\/([0-9a-f]+))?$/.exec(path);
    if (key !== null) return keys(request, caller, key[1]!, key[2]);
    switch (path) {
      case "/v3/projects:search":
        return page(url, "projects", [
          { projectId: PROJECT, state: "ACTIVE" },
          { projectId: "deleted-project", state: "DELETE_REQUESTED" },
        ]);
      case `/v1/projects/${PROJECT}/serviceAccounts`:
        return page(
          url,
          "accounts",
          [...accounts.keys()].map((email) => ({ email, displayName: "", projectId: PROJECT })),
        );
      case `/v1/projects/${PROJECT}:getIamPolicy`:
        return { body: { bindings } };
      case `/v1/projects/${PROJECT}/secrets`:
        return page(
          url,
          "secrets",
          secrets.map((name) => ({ name: `projects/1/secrets/${name}`, createTime: "2026-02-03T04:05:06Z" })),
        );
      case `/v1/projects/${PROJECT}/locations/global/activityTypes/serviceAccountKeyLastAuthentication/activities:query`:
        return page(
          url,
          "activities",
          [...accounts].flatMap(([email, own]) =>
            own.map(({ id }) => ({
              fullResourceName: `//iam.googleapis.com/projects/${PROJECT}/serviceAccounts/${email}/keys/${id}`,
              activity: { lastAuthenticatedTime: "2026-11-01T00:00:00Z" },
            })),
          ),
        );
      default:
        return apiError(404, "NOT_FOUND");
    }
  };

  const api = await startFakeApi(addresses, answer);
  const fake: FakeGoogleCloud = {
    ...api,
    refusalsOfNew: 0,
    lastRefusals: () => newest?.refusals ?? 0,
    project: PROJECT,
    bindings,
    secrets,
    denied,
    addServiceAccount: (name) => {
      const email = `${name}@${PROJECT}.iam.gserviceaccount.com`;
      accounts.set(email, []);
      const { key, file } = newKey(email);
      return { email, secret: file, keyId: key.id };
    },
    addKey: (email) => newKey(email).key.id,
    keysOf: (email) => (accounts.get(email) ?? []).map(({ id, isActive }) => ({ id, isActive })),
    disableKey: (keyId) => {
      for (const key of [...accounts.values()].flat()) if (key.id === keyId) key.isActive = false;
    },
  };
  return fake;
}

const shownKey = (email: string, { id, isActive, createdAt }: StoredKey) => ({
  name: `projects/${PROJECT}/serviceAccounts/${email}/keys/${id}`,
  validAfterTime: createdAt,
  validBeforeTime: "9999-12-31T23:59:59Z",
  ...(isActive ? {} : { disabled: true }),
});

const apiError = (code: number, status: string): ApiReply => ({
  status: code,
  body: { error: { code, status, message: "no" } },
});
