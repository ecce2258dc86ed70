// A fake of AWS's STS, IAM, S3, Secrets Manager and Parameter Store over HTTPS that checks signatures (SigV4) with its own code. Does not prove: AWS itself,
// its delays until a key is known everywhere, its policies, regions and throttling.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeAuthority } from "../certificates.ts";
import { answerBuckets, type FakeBucket, type FakeBuckets } from "./fake-buckets.ts";

interface StoredKey {
  id: string;
  secret: string;
  owner: string;
  isActive: boolean;
}

export interface FakeAws {
  host: string;
  port: number;
  /** PEM of the authority that signed the fake's certificate. */
  ca: string;
  /** The additional parameters of accounts that log in to the fake. */
  params: { protocol: "aws-iam"; endpoint: string; ca: string };
  /** A user with one key, as JSON. */
  addUser(name: string): { keyId: string; secret: string };
  addKey(name: string): string;
  keysOf(name: string): { id: string; isActive: boolean }[];
  deactivate(keyId: string): void;
  administrators: Set<string>;
  /** The user that each role trusts, by the role's name. */
  roles: Map<string, string>;
  /** Names of secrets and parameters, by region. The fake has values of none. */
  secrets: Map<string, string[]>;
  parameters: Map<string, { name: string; isEncrypted: boolean }[]>;
  buckets: FakeBuckets;
  addBucket(name: string, objects: Readonly<Record<string, string>>): FakeBucket;
  /** Replaces the next answer to `action` with an error, or with no answer (null) after the action was carried out. */
  answerOnce(action: string, error: { code: string; status: number } | null): void;
  /** The next request for `action` waits for `resume()`. `received` settles when it has arrived. */
  pauseOnce(action: string): { received: Promise<void>; resume(): void };
  requests(): readonly string[];
  stop(): Promise<void>;
}

const UNKNOWN_OPERATION = { code: "UnknownOperationException", status: 400 };
const USED = { LastChangedDate: 1_760_000_000, LastAccessedDate: 1_764_000_000.5 };
const ACCOUNT = "123456789012";

/** `addresses`: additional addresses for the fake's certificate. */
export async function startFakeAws(addresses: readonly string[] = []): Promise<FakeAws> {
  const authority = await makeAuthority();
  const { certificate, privateKey } = await authority.issue(["127.0.0.1", ...addresses]);
  const users = new Set<string>();
  const keys = new Map<string, StoredKey>();
  const administrators = new Set<string>();
  const roles = new Map<string, string>();
  const secrets = new Map<string, string[]>();
  const parameters = new Map<string, { name: string; isEncrypted: boolean }[]>();
  const buckets: FakeBuckets = { byName: new Map(), denied: new Set(), pageSize: 2 };
  const requests: string[] = [];
  let once_: { action: string; error: { code: string; status: number } | null } | null = null;
  let pause: { action: string; received: () => void; resumed: Promise<void> } | null = null;

  const newKey = (owner: string): StoredKey => {
    const id = `AKIA${randomBytes(10).toString("hex").toUpperCase().slice(0, 16)}`;
    const key = { id, secret: randomBytes(30).toString("base64"), owner, isActive: true };
    keys.set(id, key);
    return key;
  };
  const keysOf = (owner: string) => [...keys.values()].filter((key) => key.owner === owner);

  /** The content of the answer, or the code of an error. */
  const obey = (
    action: string,
    form: URLSearchParams,
    caller: StoredKey,
  ): string | { code: string; status: number } => {
    const named = keys.get(form.get("AccessKeyId") ?? "");
    const own = named?.owner === caller.owner ? named : undefined;
    switch (action) {
      case "GetCallerIdentity":
        return `<Arn>arn:aws:iam::${ACCOUNT}:user/${caller.owner}</Arn><UserId>AIDAX</UserId><Account>${ACCOUNT}</Account>`;
      case "ListAccessKeys":
        return `<AccessKeyMetadata>${keysOf(caller.owner)
          .map(
            ({ id, isActive }) =>
              `<member><AccessKeyId>${id}</AccessKeyId><Status>${isActive ? "Active" : "Inactive"}</Status></member>`,
          )
          .join("")}</AccessKeyMetadata><IsTruncated>false</IsTruncated>`;
      case "CreateAccessKey": {
        if (keysOf(caller.owner).length >= 2) return { code: "LimitExceeded", status: 409 };
        const { id, secret } = newKey(caller.owner);
        return `<AccessKey><UserName>${caller.owner}</UserName><AccessKeyId>${id}</AccessKeyId><Status>Active</Status><SecretAccessKey>${secret}</SecretAccessKey></AccessKey>`;
      }
      case "UpdateAccessKey":
        if (own === undefined) return { code: "NoSuchEntity", status: 404 };
        own.isActive = form.get("Status") === "Active";
        return "";
      case "DeleteAccessKey":
        if (own === undefined) return { code: "NoSuchEntity", status: 404 };
        keys.delete(own.id);
        return "";
      case "ListUsers":
        return `<Users>${[...users].map((name) => `<member><Path>/</Path><UserName>${name}</UserName><UserId>AIDAX</UserId><Arn>arn:aws:iam::${ACCOUNT}:user/${name}</Arn><CreateDate>2026-01-02T03:04:05Z</CreateDate></member>`).join("")}</Users><IsTruncated>false</IsTruncated>`;
      case "GenerateCredentialReport":
        return "<State>COMPLETE</State>";
      case "GetCredentialReport":
        return `<Content>${Buffer.from(reportOf(users, keys)).toString("base64")}</Content><ReportFormat>text/csv</ReportFormat>`;
      case "ListRoles":
        return `<Roles>${[...roles].map(([name, user]) => `<member><Path>/</Path><RoleName>${name}</RoleName><RoleId>AROAX</RoleId><Arn>arn:aws:iam::${ACCOUNT}:role/${name}</Arn><CreateDate>2026-01-02T03:04:05Z</CreateDate><AssumeRolePolicyDocument>${trustOf(user)}</AssumeRolePolicyDocument></member>`).join("")}</Roles><IsTruncated>false</IsTruncated>`;
      case "ListEntitiesForPolicy":
        return `<PolicyGroups><member><GroupName>admins</GroupName></member></PolicyGroups><PolicyUsers/><PolicyRoles/><IsTruncated>false</IsTruncated>`;
      case "GetGroup":
        return `<Users>${[...administrators].map((name) => `<member><Path>/</Path><UserName>${name}</UserName></member>`).join("")}</Users><IsTruncated>false</IsTruncated>`;
      default:
        return { code: "InvalidAction", status: 400 };
    }
  };

  /** Secrets Manager and Parameter Store, one entry per page. */
  const obeyJson = (operation: string, region: string, body: string): object | null => {
    const { NextToken = "0" } = JSON.parse(body) as { NextToken?: string };
    const page = <T>(all: readonly T[], show: (entry: T) => object) => {
      const at = Number(NextToken);
      const more = at + 1 < all.length ? { NextToken: String(at + 1) } : {};
      return { entries: all.slice(at, at + 1).map(show), more };
    };
    if (operation === "secretsmanager.ListSecrets") {
      const { entries, more } = page(secrets.get(region) ?? [], (Name) => ({ Name, RotationEnabled: false, ...USED }));
      return { SecretList: entries, ...more };
    }
    if (operation !== "AmazonSSM.DescribeParameters") return null;
    const { entries, more } = page(parameters.get(region) ?? [], ({ name: Name, isEncrypted }) => ({
      Name,
      Type: isEncrypted ? "SecureString" : "String",
      LastModifiedDate: USED.LastChangedDate,
    }));
    return { Parameters: entries, ...more };
  };

  const answerJson = (request: IncomingMessage, body: string, operation: string, response: ServerResponse) => {
    requests.push(operation);
    const caller = callerOf(request, body, keys);
    const planned = once_?.action === operation ? once_.error : null;
    if (planned !== null) once_ = null;
    const result = "code" in caller ? caller : (planned ?? obeyJson(operation, caller.region, body));
    const { code = null, status = 200 } = (result ?? UNKNOWN_OPERATION) as { code?: string; status?: number };
    response
      .writeHead(status, { "content-type": "application/x-amz-json-1.1" })
      .end(JSON.stringify(code === null ? result : { __type: `com.amazon#${code}` }));
  };

  const answer = (request: IncomingMessage, body: string, response: ServerResponse) => {
    if (request.method !== "POST") {
      const url = new URL(request.url!, "https://fake");
      requests.push(`${request.method} ${decodeURIComponent(url.pathname)}`);
      const caller = callerOf(request, body, keys);
      const { status, headers, ...reply } =
        "code" in caller
          ? { status: caller.status, body: `<Error><Code>${caller.code}</Code></Error>` }
          : answerBuckets(buckets, request.method!, url);
      response.writeHead(status, { "content-type": "application/xml", ...headers }).end(reply.body);
      return;
    }
    const operation = request.headers["x-amz-target"]?.toString();
    if (operation !== undefined) {
      answerJson(request, body, operation, response);
      return;
    }
    const form = new URLSearchParams(body);
    const action = form.get("Action") ?? "";
    requests.push(action);
    const caller = callerOf(request, body, keys);
    const planned = once_?.action === action ? once_ : null;
    if (planned !== null) once_ = null;
    const result = "code" in caller ? caller : (planned?.error ?? obey(action, form, caller.key));
    if (planned?.error === null) {
      response.destroy();
      return;
    }
    const isError = typeof result !== "string";
    const content = isError
      ? `<ErrorResponse><Error><Type>Sender</Type><Code>${result.code}</Code><Message>no</Message></Error></ErrorResponse>`
      : `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
    response.writeHead(isError ? result.status : 200, { "content-type": "text/xml" }).end(content);
  };

  const pauseThenAnswer = async (request: IncomingMessage, body: string, response: ServerResponse) => {
    const action = request.headers["x-amz-target"]?.toString() ?? new URLSearchParams(body).get("Action");
    if (pause !== null && pause.action === action) {
      const { received, resumed } = pause;
      pause = null;
      received();
      await resumed;
    }
    answer(request, body, response);
  };

  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void pauseThenAnswer(request, Buffer.concat(chunks).toString(), response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const host = "127.0.0.1";
  const { port } = server.address() as AddressInfo;
  const ca = authority.certificate;
  return {
    host,
    port,
    ca,
    params: { protocol: "aws-iam", endpoint: `https://${host}:${port}`, ca },
    administrators,
    roles,
    secrets,
    parameters,
    buckets,
    addBucket: (name, objects) => {
      const contents = Object.entries(objects).map(([key, content]) => [key, { content }] as const);
      const bucket = { objects: new Map(contents), isPublic: false };
      buckets.byName.set(name, bucket);
      return bucket;
    },
    addUser: (name) => {
      users.add(name);
      const { id, secret } = newKey(name);
      return { keyId: id, secret: textOf(id, secret) };
    },
    addKey: (name) => newKey(name).id,
    keysOf: (name) => keysOf(name).map(({ id, isActive }) => ({ id, isActive })),
    deactivate: (keyId) => {
      const key = keys.get(keyId);
      if (key !== undefined) key.isActive = false;
    },
    answerOnce: (action, error) => (once_ = { action, error }),
    pauseOnce: (action) => {
      const received = Promise.withResolvers<void>();
      const resumed = Promise.withResolvers<void>();
      pause = { action, received: received.resolve, resumed: resumed.promise };
      return { received: received.promise, resume: resumed.resolve };
    },
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** With the columns that AWS documents; the root account has an old key that is in use. */
function reportOf(users: ReadonlySet<string>, keys: ReadonlyMap<string, StoredKey>): string {
  const header =
    "user,arn,user_creation_time,password_enabled,password_last_used,password_last_changed,password_next_rotation,mfa_active,access_key_1_active,access_key_1_last_rotated,access_key_1_last_used_date,access_key_1_last_used_region,access_key_1_last_used_service,access_key_2_active,access_key_2_last_rotated,access_key_2_last_used_date,access_key_2_last_used_region,access_key_2_last_used_service,cert_1_active,cert_1_last_rotated,cert_2_active,cert_2_last_rotated";
  const none = "false,N/A,N/A,N/A,N/A";
  const rest = "false,N/A,false,N/A";
  const rows = [...users].map((name) => {
    const isActive = [...keys.values()].some((key) => key.owner === name && key.isActive);
    const first = `${isActive},2024-02-03T04:05:06+00:00,2026-10-01T00:00:00+00:00,eu-west-1,s3`;
    return `${name},arn:aws:iam::${ACCOUNT}:user/${name},2026-01-02T03:04:05+00:00,false,N/A,N/A,N/A,false,${first},${none},${rest}`;
  });
  const root = `<root_account>,arn:aws:iam::${ACCOUNT}:root,2020-01-01T00:00:00+00:00,not_supported,2026-11-01T00:00:00+00:00,not_supported,not_supported,true,true,2020-01-01T00:00:00+00:00,2026-11-01T00:00:00+00:00,us-east-1,iam,${none},${rest}`;
  return [header, root, ...rows].join("\n");
}

const trustOf = (user: string) =>
  encodeURIComponent(
    JSON.stringify({
      Version: "2012-10-17",
      Statement: [
        { Effect: "Allow", Principal: { AWS: `arn:aws:iam::${ACCOUNT}:user/${user}` }, Action: "sts:AssumeRole" },
        { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" },
      ],
    }),
  );

const textOf = (id: string, secret: string) => JSON.stringify({ access_key_id: id, secret_access_key: secret });

/** AWS's manual, "Create a signed AWS API request": the signer, or why the request is refused. */
function callerOf(
  request: IncomingMessage,
  body: string,
  keys: ReadonlyMap<string, StoredKey>,
): { key: StoredKey; region: string } | { code: string; status: number } {
  const shape =
    /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)\/(\d{8})\/([a-z0-9-]+)\/(sts|iam|s3|secretsmanager|ssm)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, id = "", day = "", region = "", service = "", signed = "", signature = ""] =
    shape.exec(request.headers.authorization ?? "") ?? [];
  const key = keys.get(id);
  if (key === undefined || !key.isActive)
    return { code: service === "s3" ? "InvalidAccessKeyId" : "InvalidClientTokenId", status: 403 };
  const headers = signed.split(";").map((name) => `${name}:${request.headers[name]?.toString().trim()}\n`);
  const [path = "", query = ""] = request.url!.split("?");
  const sorted = query.split("&").toSorted().join("&");
  const canonical = [request.method, path, sorted, headers.join(""), signed, sha256(body)].join("\n");
  const time = request.headers["x-amz-date"]?.toString() ?? "";
  const text = ["AWS4-HMAC-SHA256", time, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join("\n");
  const signingKey = [day, region, service, "aws4_request"].reduce<Buffer>(
    (last, part) => createHmac("sha256", last).update(part).digest(),
    Buffer.from(`AWS4${key.secret}`),
  );
  const isRight = createHmac("sha256", signingKey).update(text).digest("hex") === signature;
  return isRight && time.startsWith(day) ? { key, region } : { code: "SignatureDoesNotMatch", status: 403 };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
